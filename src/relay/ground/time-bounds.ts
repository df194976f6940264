import type { Clock } from './clock';
import { ClockCorrections, type AgeLimit, type CorrectionsRecord } from './clock-corrections';

/** If the wall clock gains or loses more than this against monotonic time, it was set; NTP corrects smaller ones. */
const JUMP_MS = 2_000;
/** How often both clocks are read at most to get readings of the same moment. */
const MAX_READINGS = 3;

/** A record is stored at least once in this time, unless the process or the machine fails. */
export const RECORD_INTERVAL_MS = 60_000;

/** An event is stored within seconds of its arrival, and soon known to the leader. */
const STORED_WITHIN_MS = 60_000;

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
  corrections: CorrectionsRecord;
  /** See `TimeBounds.checkedThrough`. */
  checkedThrough: number;
}

/**
 * What is known about the current time, given that the wall clock may be wrong. Wall clock and monotonic time are
 * compared.
 *
 * - `latest`, in ms since 1970, never goes back. It follows the wall clock ahead and keeps advancing when that is set
 *   back. Due times are stored on this scale and compared with it: something is due as soon as either clock says so. It
 *   equals the wall clock unless that was set.
 * - Ages count only time that has passed while a daemon ran: what was stored before the clock was set ahead is not
 *   older for that, whichever time is right, and nor is it after a time in which no daemon ran, since the clock may
 *   have been corrected meanwhile.
 */
export class TimeBounds {
  /** The `seq` up to which it is known how far the clocks of the daemons were behind when they stored events. */
  checkedThrough: number;
  /** Wall clock minus monotonic time at the last reading. */
  private offsetMs: number;
  /** When that was, by monotonic time. */
  private readAt: number;
  private sleptMs: number;
  /** `latest` minus the wall clock. */
  private latestAheadMs = 0;
  private jumps: ClockJump[] = [];
  private readonly corrections: ClockCorrections;

  /** @param last the record of the previous process */
  constructor(
    private readonly clock: Clock,
    last: TimeRecord | null = null,
  ) {
    const { wall, monotonic } = this.read();
    this.offsetMs = wall - monotonic;
    this.readAt = monotonic;
    this.sleptMs = clock.slept();
    this.corrections = new ClockCorrections(last?.corrections);
    this.checkedThrough = last?.checkedThrough ?? 0;
    if (last === null) return;
    const sinceRecordMs = wall - last.wall;
    if (sinceRecordMs < -JUMP_MS) this.wasSetBack(-sinceRecordMs, wall);
    if (sinceRecordMs < -JUMP_MS || sinceRecordMs > 0)
      this.corrections.wasSet(sinceRecordMs, last.wall + RECORD_INTERVAL_MS, wall);
    this.corrections.shows(wall);
    this.latestAheadMs = Math.max(0, last.latest - wall);
  }

  /** The latest time it can be. Due times are compared with it. */
  latest(): number {
    return this.readWallClock() + this.latestAheadMs;
  }

  /** The stored times of an age of more than `ageMs`. */
  olderThan(ageMs: number): AgeLimit {
    return this.corrections.limit(this.readWallClock() - ageMs);
  }

  /** Before which all stored times have an age of more than `ageMs`. */
  allOlderThan(ageMs: number): number {
    const { before, kept } = this.olderThan(ageMs);
    return Math.min(before, ...kept.map(([from]) => from));
  }

  /** The age of a stored time in ms. */
  ageOf(time: number): number {
    return this.readWallClock() - time - this.corrections.of(time);
  }

  /** Tells of a time that was just stored, perhaps by another daemon with a clock of its own. */
  justStored(time: number): void {
    const behindMs = this.ageOf(time);
    if (behindMs > STORED_WITHIN_MS) this.corrections.wasBehind(time, this.corrections.of(time) + behindMs);
  }

  /** Takes over what the leader has just stored. */
  learn({ wall, corrections, checkedThrough }: TimeRecord): void {
    this.justStored(wall);
    this.corrections.learn(corrections, Math.max(0, this.readWallClock() - wall));
    this.checkedThrough = checkedThrough;
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
    const { latestAheadMs, corrections, checkedThrough } = this;
    return { wall, latest: wall + latestAheadMs, corrections: corrections.record(), checkedThrough };
  }

  /** Reads the wall clock, and detects whether it was set since the last reading. */
  private readWallClock(): number {
    const { wall, monotonic } = this.read();
    const offsetMs = wall - monotonic;
    const gainedMs = offsetMs - this.offsetMs;
    const sinceLastMs = monotonic - this.readAt;
    this.offsetMs = offsetMs;
    this.readAt = monotonic;
    if (Math.abs(gainedMs) > JUMP_MS) this.applyJump(gainedMs, wall, sinceLastMs);
    this.corrections.shows(wall);
    return wall;
  }

  /** What the wall clock gained is a jump, except for system sleep, which monotonic time does not count. */
  private applyJump(gainedMs: number, wall: number, sinceLastMs: number): void {
    const sleptMs = this.clock.slept();
    const jumpMs = Math.round(gainedMs - (sleptMs - this.sleptMs));
    this.sleptMs = sleptMs;
    if (Math.abs(jumpMs) <= JUMP_MS) return;
    this.corrections.wasSet(jumpMs, wall - jumpMs, Math.floor(wall - sinceLastMs));
    if (jumpMs > 0) this.wasSetAhead(jumpMs, wall);
    else this.wasSetBack(-jumpMs, wall);
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
    this.latestAheadMs = Math.max(0, this.latestAheadMs - ms);
  }

  private wasSetBack(ms: number, to: number): void {
    this.jumps.push({ direction: 'back', ms, to });
    this.latestAheadMs += ms;
  }
}
