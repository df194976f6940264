import { setTimeout as wait } from 'node:timers/promises';

interface StepOptions {
  retryAfterMs: number;
  /** Once aborted, no further step runs; a wait for a retry ends immediately. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

/** Runs a step again and again until it returns false. A step that fails is repeated after `retryAfterMs`. */
export async function runSteps(
  step: () => Promise<boolean>,
  { retryAfterMs, signal, onError }: StepOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await step())) return;
    } catch (error) {
      onError(error);
      await wait(retryAfterMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
