import { useSyncExternalStore } from 'react';

/** What times are told in: the reader's own zone, or UTC as in logs. */
export type TimeZone = 'local' | 'utc';

const KEY = 'switchboard-times';
const watchers = new Set<() => void>();
let zone: TimeZone = stored();

function stored(): TimeZone {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    // Where nothing may be stored, the choice holds for as long as the page.
    return 'local';
  }
}

function watch(hear: () => void): () => void {
  watchers.add(hear);
  return () => watchers.delete(hear);
}

export const currentZone = (): TimeZone => zone;

export function chooseZone(chosen: TimeZone): void {
  zone = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // As above.
  }
  for (const each of watchers) each();
}

export const useTimeZone = (): TimeZone => useSyncExternalStore(watch, currentZone);

/** How far the zone of choice is ahead of UTC at that time, in minutes. */
export const offsetAt = (time: Date): number => (zone === 'utc' ? 0 : -time.getTimezoneOffset());
