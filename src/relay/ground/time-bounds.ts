import type { Clock } from './clock';

/** A wall clock that gains or loses more than this against monotonic time was set; less is trimming. */
const JUMP_MS = 2_000;
/** How often both clocks are read where a stop comes in between. */
const READINGS = 3;

/** Once it has stood for so long, a wall clock that was set ahead is believed. */
const BELIEVED_AFTER_MS = 24 * 3_600_000;

/** Jumps of one hour are believed together, so that a daemon that restarts all the time keeps no long list. */
const TOGETHER_MS = 3_600_000;

/** The wall clock was set, by `ms`; since then it shows `to` (ms since 1970). */
export interface ClockJump {
  direction: 'back' | 'ahead';
  ms: number;
  to: number;
}

/** What of the bounds outlives the process. `left`: for how many ms more of running a jump ahead is doubted. */
export interface TimeRecord {
  wall: number;
  latest: number;
  doubts: { ms: number; left: number }[];
}

/**
 * What time it may be, in ms since 1970, given that the wall clock may be wrong. Two bounds, kept by comparing it with time
 * that only passes:
 *
 * - `latest` never goes back. It follows the wall clock ahead, and goes on by itself where that is set back. What is due by
 *   time is kept on this scale and compared with it: due as soon as either clock says so.
 * - `earliest` follows the wall clock back, and ahead only as far as time has passed; a jump ahead is believed once the
 *   clock has stood for a day. What is removed for its age is compared with it: too old only where both clocks say so.
 *
 * Both are the wall clock's time unless that was set. The time in which no daemon ran is doubted like a jump ahead.
 */
export class TimeBounds {
  /** The wall clock's lead over monotonic time when last looked. */
  private offset: number;
  private slept: number;
  /** `latest` less the wall clock. */
  private lead = 0;
  /** What of the wall clock's time is doubted, and until when by monotonic time; oldest first. */
  private doubts: { ms: number; until: number }[] = [];
  private jumps: ClockJump[] = [];

  /** @param last what the process before this one left */
  constructor(
    private readonly clock: Clock,
    last: TimeRecord | null = null,
  ) {
    const { wall, monotonic } = this.read();
    this.offset = wall - monotonic;
    this.slept = clock.slept();
    if (last === null) return;
    this.doubts = last.doubts.map(({ ms, left }) => ({ ms, until: monotonic + left }));
    const away = wall - last.wall;
    if (away < -JUMP_MS) this.setBack(-away, wall);
    else if (away > 0) this.doubt(away);
    this.lead = Math.max(0, last.latest - wall);
  }

  /** The latest that it may be: for what comes due. */
  latest(): number {
    return this.look() + this.lead;
  }

  /** The earliest that it may be: for what is removed for its age. */
  earliest(): number {
    return this.look() - this.doubtedMs;
  }

  /** A time of the wall clock as it stands now, on the scale of `latest`. */
  latestOf(wall: number): number {
    this.look();
    return wall + this.lead;
  }

  /** What the wall clock will show at a time on the scale of `latest`. */
  shown(latest: number): number {
    this.look();
    return latest - this.lead;
  }

  /** By how much `earliest` is behind the wall clock. */
  get doubtedMs(): number {
    const now = this.clock.monotonic();
    return this.doubts.reduce((sum, { ms, until }) => (until > now ? sum + ms : sum), 0);
  }

  /** The jumps since it was last asked. */
  takeJumps(): ClockJump[] {
    const slept = this.clock.slept();
    this.look();
    // With the naps that were too short to be seen, so that they are not taken for what a later jump was.
    this.slept = Math.max(this.slept, slept);
    return this.jumps.splice(0);
  }

  /** To be kept for the next process. */
  record(): TimeRecord {
    const wall = this.look();
    const now = this.clock.monotonic();
    this.doubts = this.doubts.filter(({ until }) => until > now);
    const doubts = this.doubts.map(({ ms, until }) => ({ ms, left: until - now }));
    return { wall, latest: wall + this.lead, doubts };
  }

  /** @returns what the wall clock shows */
  private look(): number {
    const { wall, monotonic } = this.read();
    const offset = wall - monotonic;
    const gained = offset - this.offset;
    this.offset = offset;
    if (Math.abs(gained) <= JUMP_MS) return wall;
    // A machine that slept has lost time, and its clock is right.
    const slept = this.clock.slept();
    const ahead = Math.round(gained - (slept - this.slept));
    this.slept = slept;
    if (ahead > JUMP_MS) this.setAhead(ahead, wall);
    else if (ahead < -JUMP_MS) this.setBack(-ahead, wall);
    return wall;
  }

  /** Both clocks at one moment: a process that is stopped in between reads them again. */
  private read(): { wall: number; monotonic: number } {
    for (let readings = 1; ; readings += 1) {
      const before = this.clock.monotonic();
      const wall = this.clock.now();
      const monotonic = this.clock.monotonic();
      if (monotonic - before < JUMP_MS || readings === READINGS) return { wall, monotonic };
    }
  }

  private setAhead(ms: number, to: number): void {
    this.jumps.push({ direction: 'ahead', ms, to });
    this.doubt(ms);
    this.lead = Math.max(0, this.lead - ms);
  }

  private setBack(ms: number, to: number): void {
    this.jumps.push({ direction: 'back', ms, to });
    this.lead += ms;
    let left = ms;
    for (const doubt of this.doubts.toReversed()) {
      const undone = Math.min(left, doubt.ms);
      doubt.ms -= undone;
      left -= undone;
    }
  }

  private doubt(ms: number): void {
    const until = this.clock.monotonic() + BELIEVED_AFTER_MS;
    const last = this.doubts.at(-1);
    if (last !== undefined && last.until > until - TOGETHER_MS) last.ms += ms;
    else this.doubts.push({ ms, until });
  }
}
