/** The sandbox's source of time, replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls `run` after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** ISO 8601 in UTC, as the document writes times (2.1 and 6.2). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
