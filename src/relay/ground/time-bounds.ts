import type { Clock } from './clock';

/** A wall clock that gains or loses more than this against monotonic time was set; less is drift correction. */
const JUMP_MS = 2_000;
/** How often reading both clocks is repeated if the process is suspended in between. */
const READINGS = 3;

/** A wall clock that was set ahead is trusted after this time. */
const TRUSTED_AFTER_MS = 24 * 3_600_000;

/** Jumps within one hour are merged, so that a daemon that keeps restarting does not build up a long list. */
const MERGE_WITHIN_MS = 3_600_000;

/** The wall clock was set, by `ms`; since then it shows `to` (ms since 1970). */
export interface ClockJump {
  direction: 'back' | 'ahead';
  ms: number;
  to: number;
}

/** The state that survives a restart. `left`: for how many more ms of running a jump ahead is doubted. */
export interface TimeRecord {
  wall: number;
  latest: number;
  doubts: { ms: number; left: number }[];
}

/**
 * Bounds of the current time, in ms since 1970, given that the wall clock may be wrong. They are kept by comparing the
 * wall clock with monotonic time:
 *
 * - `latest` never goes back. It follows the wall clock ahead and keeps advancing when that is set back. Due times are
 *   stored on this scale and compared with it: something is due as soon as either clock says so.
 * - `earliest` follows the wall clock back, but ahead only as far as time has actually passed; a jump ahead is trusted
 *   after a day. Ages are compared with it: something is too old only when both clocks say so.
 *
 * Both equal the wall clock unless that was set. Time during which no daemon ran is doubted like a jump ahead.
 */
export class TimeBounds {
  /** Wall clock minus monotonic time at the last reading. */
  private offset: number;
  private slept: number;
  /** `latest` minus the wall clock. */
  private lead = 0;
  /** Doubted parts of the wall clock's time, each until a monotonic time; oldest first. */
  private doubts: { ms: number; until: number }[] = [];
  private jumps: ClockJump[] = [];

  /** @param last the record of the previous process */
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

  /** The latest time it can be: for due times. */
  latest(): number {
    return this.look() + this.lead;
  }

  /** The earliest time it can be: for removal by age. */
  earliest(): number {
    return this.look() - this.doubtedMs;
  }

  /** Converts a wall clock time to the scale of `latest`. */
  latestOf(wall: number): number {
    this.look();
    return wall + this.lead;
  }

  /** Converts a time on the scale of `latest` to what the wall clock will show. */
  shown(latest: number): number {
    this.look();
    return latest - this.lead;
  }

  /** How far `earliest` is behind the wall clock. */
  get doubtedMs(): number {
    const now = this.clock.monotonic();
    return this.doubts.reduce((sum, { ms, until }) => (until > now ? sum + ms : sum), 0);
  }

  /** The jumps since the last call. */
  takeJumps(): ClockJump[] {
    const slept = this.clock.slept();
    this.look();
    // Includes sleeps too short to be detected, so that they are not subtracted from a later jump.
    this.slept = Math.max(this.slept, slept);
    return this.jumps.splice(0);
  }

  /** The state to store for the next process. */
  record(): TimeRecord {
    const wall = this.look();
    const now = this.clock.monotonic();
    this.doubts = this.doubts.filter(({ until }) => until > now);
    const doubts = this.doubts.map(({ ms, until }) => ({ ms, left: until - now }));
    return { wall, latest: wall + this.lead, doubts };
  }

  /** @returns the wall clock's time */
  private look(): number {
    const { wall, monotonic } = this.read();
    const offset = wall - monotonic;
    const gained = offset - this.offset;
    this.offset = offset;
    if (Math.abs(gained) <= JUMP_MS) return wall;
    // After sleep monotonic time is behind, and the wall clock is right.
    const slept = this.clock.slept();
    const ahead = Math.round(gained - (slept - this.slept));
    this.slept = slept;
    if (ahead > JUMP_MS) this.setAhead(ahead, wall);
    else if (ahead < -JUMP_MS) this.setBack(-ahead, wall);
    return wall;
  }

  /** Reads both clocks at the same moment; repeats if the process was suspended in between. */
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
    const until = this.clock.monotonic() + TRUSTED_AFTER_MS;
    const last = this.doubts.at(-1);
    if (last !== undefined && last.until > until - MERGE_WITHIN_MS) last.ms += ms;
    else this.doubts.push({ ms, until });
  }
}
