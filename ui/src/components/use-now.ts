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

/** The time, to the second. The page has one clock, so that all it shows ticks together. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    // While nobody watched, the clock stood still; the first look sets it.
    if (clock === undefined) now = Math.floor(Date.now() / TICK_MS) * TICK_MS;
    return now;
  });
}
