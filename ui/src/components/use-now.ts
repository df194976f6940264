import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let clock: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  clock ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  };
}

/** The current time, to the second. One clock per page keeps all times in step. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    // The clock does not run without subscribers, so the first read sets it.
    if (clock === undefined) now = Math.floor(Date.now() / TICK_MS) * TICK_MS;
    return now;
  });
}
