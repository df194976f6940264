/** Time as the sandbox sees it; passed in, so that tests move it instead of waiting. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Runs `run` once, `ms` milliseconds from now, unless the function it returns is called before. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A point in time as the document writes them: ISO 8601, UTC (document, 2.1 and 6.2). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
