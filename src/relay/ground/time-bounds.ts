import type { Clock } from './clock';

/**
 * If the wall clock gains or loses more than this against monotonic time, it was set. Smaller differences come
 * from corrections by NTP.
 */
const JUMP_MS = 2_000;
/** How often both clocks are read at most to get readings of the same moment. */
const MAX_READINGS = 3;

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

/** The state that survives a restart. `wall` and `latest` are ms since 1970. */
export interface TimeRecord {
  wall: number;
  latest: number;
  /** `left`: for how many more ms of running time the jump ahead by `ms` is doubted. */
  doubts: { ms: number; left: number }[];
}

/**
 * Bounds of the current time, in ms since 1970, given that the wall clock may be wrong. They are kept by
 * comparing the wall clock with monotonic time:
 *
 * - `latest` never goes back. It follows the wall clock ahead and keeps advancing when that is set back. Due
 *   times are stored on this scale and compared with it: something is due as soon as either clock says so.
 * - `earliest` follows the wall clock back, but ahead only as far as time has actually passed; a jump ahead
 *   is trusted after a day. Ages are compared with it: something is too old only when both clocks say so.
 *
 * Both equal the wall clock unless that was set. Time during which no daemon ran is doubted like a jump
 * ahead.
 */
export class TimeBounds {
  /** Wall clock minus monotonic time at the last reading. */
  private offsetMs: number;
  private sleptMs: number;
  /** `latest` minus the wall clock. */
  private latestAheadMs = 0;
  /** Doubted parts of the wall clock's time, each until a monotonic time; oldest first. */
  private doubts: { ms: number; until: number }[] = [];
  private jumps: ClockJump[] = [];

  /** @param last the record of the previous process */
  constructor(
    private readonly clock: Clock,
    last: TimeRecord | null = null,
  ) {
    const { wall, monotonic } = this.read();
    this.offsetMs = wall - monotonic;
    this.sleptMs = clock.slept();
    if (last === null) return;
    this.doubts = last.doubts.map(({ ms, left }) => ({ ms, until: monotonic + left }));
    const sinceRecordMs = wall - last.wall;
    if (sinceRecordMs < -JUMP_MS) this.wasSetBack(-sinceRecordMs, wall);
    else if (sinceRecordMs > 0) this.doubt(sinceRecordMs);
    this.latestAheadMs = Math.max(0, last.latest - wall);
  }

  /** The latest time it can be. Due times are compared with it. */
  latest(): number {
    return this.readWallClock() + this.latestAheadMs;
  }

  /** The earliest time it can be. Ages are compared with it. */
  earliest(): number {
    return this.readWallClock() - this.doubtedMs;
  }

  /** Converts a wall clock time to the scale of `latest`. */
  fromWallClock(wall: number): number {
    this.readWallClock();
    return wall + this.latestAheadMs;
  }

  /** Converts a time on the scale of `latest` to what the wall clock shows at that time. */
  toWallClock(latest: number): number {
    this.readWallClock();
    return latest - this.latestAheadMs;
  }

  /** How far `earliest` is behind the wall clock. */
  get doubtedMs(): number {
    const now = this.clock.monotonic();
    return this.doubts.reduce((sum, { ms, until }) => (until > now ? sum + ms : sum), 0);
  }

  /** The jumps since the last call. */
  takeJumps(): ClockJump[] {
    const slept = this.clock.slept();
    this.readWallClock();
    // Also counts sleeps too short to be noticed, so that they are not subtracted from a later jump.
    this.sleptMs = Math.max(this.sleptMs, slept);
    return this.jumps.splice(0);
  }

  /** The state to store for the next process. */
  record(): TimeRecord {
    const wall = this.readWallClock();
    const now = this.clock.monotonic();
    this.doubts = this.doubts.filter(({ until }) => until > now);
    const doubts = this.doubts.map(({ ms, until }) => ({ ms, left: until - now }));
    return { wall, latest: wall + this.latestAheadMs, doubts };
  }

  /** Reads the wall clock, and detects whether it was set since the last reading. */
  private readWallClock(): number {
    const { wall, monotonic } = this.read();
    const offsetMs = wall - monotonic;
    const gainedMs = offsetMs - this.offsetMs;
    this.offsetMs = offsetMs;
    if (Math.abs(gainedMs) <= JUMP_MS) return wall;
    // Sleep is not a jump: monotonic time did not count it, and the wall clock is right.
    const sleptMs = this.clock.slept();
    const jumpMs = Math.round(gainedMs - (sleptMs - this.sleptMs));
    this.sleptMs = sleptMs;
    if (jumpMs > JUMP_MS) this.wasSetAhead(jumpMs, wall);
    else if (jumpMs < -JUMP_MS) this.wasSetBack(-jumpMs, wall);
    return wall;
  }

  /** Reads both clocks at the same moment: reads again if the process was suspended between the two. */
  private read(): { wall: number; monotonic: number } {
    for (let readings = 1; ; readings += 1) {
      const before = this.clock.monotonic();
      const wall = this.clock.now();
      const monotonic = this.clock.monotonic();
      if (monotonic - before < JUMP_MS || readings === MAX_READINGS) return { wall, monotonic };
    }
  }

  private wasSetAhead(ms: number, to: number): void {
    this.jumps.push({ direction: 'ahead', ms, to });
    this.doubt(ms);
    this.latestAheadMs = Math.max(0, this.latestAheadMs - ms);
  }

  private wasSetBack(ms: number, to: number): void {
    this.jumps.push({ direction: 'back', ms, to });
    this.latestAheadMs += ms;
    // First of all this undoes earlier jumps ahead, the most recent first.
    let remainingMs = ms;
    for (const doubt of this.doubts.toReversed()) {
      const undoneMs = Math.min(remainingMs, doubt.ms);
      doubt.ms -= undoneMs;
      remainingMs -= undoneMs;
    }
  }

  private doubt(ms: number): void {
    const until = this.clock.monotonic() + TRUSTED_AFTER_MS;
    const last = this.doubts.at(-1);
    if (last !== undefined && last.until > until - MERGE_WITHIN_MS) last.ms += ms;
    else this.doubts.push({ ms, until });
  }
}
