import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const watchers = new Set<() => void>();
let now = Date.now();
let clock: ReturnType<typeof setInterval> | undefined;

function watch(hear: () => void): () => void {
  watchers.add(hear);
  clock ??= setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, TICK_MS);
  return () => {
    watchers.delete(hear);
    if (watchers.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  };
}

/** The time, to the second. The page has one clock, so that all it shows ticks together. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => {
    // While nobody watched, the clock stood still; the first look sets it.
    if (clock === undefined) now = Math.floor(Date.now() / TICK_MS) * TICK_MS;
    return now;
  });
}
