/** Times from `from` through `until` were stored while the clock showed `ms` less than it would show now. */
interface Correction {
  from: number;
  until: number;
  ms: number;
}

/** The state that survives a restart. `since`: the earliest time that the clock showed after it was last set. */
export interface CorrectionsRecord {
  since: number;
  past: readonly Correction[];
}

/** Stored times before `before`, except those from and through each of `kept`. All in ms since 1970. */
export interface AgeLimit {
  before: number;
  kept: [from: number, through: number][];
}

/** Of more, those that differ least are merged: a daemon may be started often. */
const MAX_CORRECTIONS = 50;

const HOUR_MS = 3_600_000;

/**
 * How far a clock was behind when it stored a time: by all that it was set ahead since then, and that was not undone.
 * If several apply to a time, the largest counts, so that it never seems older than it is.
 */
export class ClockCorrections {
  private since: number;
  private past: Correction[];
  /** Those of the leader's clock. */
  private learned: readonly Correction[] = [];

  constructor({ since, past }: CorrectionsRecord = { since: 0, past: [] }) {
    this.since = since;
    this.past = past.map((correction) => ({ ...correction }));
  }

  /** The clock was set by `ms`, back if negative, after `until` at the latest and before `since` at the earliest. */
  wasSet(ms: number, until: number, since: number): void {
    for (const correction of this.past) correction.ms += ms;
    this.past.push({ from: this.since, until, ms });
    this.since = since;
    if (this.past.length > MAX_CORRECTIONS) this.mergeTwo();
  }

  /** The clock shows `time`. A change too small to count as set may have taken it behind `since`. */
  shows(time: number): void {
    this.since = Math.min(this.since, time);
  }

  /** Another clock was behind by `ms` when it stored `time`; for an hour it may not be put right. */
  wasBehind(time: number, ms: number): void {
    this.past.push({ from: time, until: time + HOUR_MS, ms });
    if (this.past.length > MAX_CORRECTIONS) this.mergeTwo();
  }

  /** Takes over those of the leader. @param aheadMs by which this clock is ahead of the leader's */
  learn({ past }: CorrectionsRecord, aheadMs: number): void {
    this.learned = past.map((correction) => ({ ...correction, ms: correction.ms + aheadMs }));
  }

  /** @returns ms, 0 or more */
  of(time: number): number {
    const those = this.all.filter(({ from, until }) => time >= from && time <= until);
    return Math.max(0, ...those.map(({ ms }) => ms));
  }

  /** The times that are before this one even if they are corrected. */
  limit(before: number): AgeLimit {
    const kept = this.all.map(({ from, until, ms }): [number, number] => [
      Math.max(from, before - ms),
      until,
    ]);
    return { before, kept: kept.filter(([from, through]) => from <= through && from < before) };
  }

  record(): CorrectionsRecord {
    return { since: this.since, past: this.past };
  }

  private get all(): readonly Correction[] {
    return [...this.past, ...this.learned];
  }

  private mergeTwo(): void {
    const changes = this.past.slice(1).map(({ ms }, i) => Math.abs(ms - this.past[i]!.ms));
    const at = changes.indexOf(Math.min(...changes));
    const [a, b] = this.past.slice(at, at + 2) as [Correction, Correction];
    const [from, until] = [Math.min(a.from, b.from), Math.max(a.until, b.until)];
    this.past.splice(at, 2, { from, until, ms: Math.max(a.ms, b.ms) });
  }
}
