import { useSyncExternalStore } from 'react';

/** What times are told in: the reader's own zone, or UTC as in logs. */
export type TimeZone = 'local' | 'utc';

const KEY = 'switchboard-times';
const listeners = new Set<() => void>();
let zone: TimeZone = readStored();

function readStored(): TimeZone {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    // Where nothing may be stored, the choice holds for as long as the page.
    return 'local';
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const getTimeZone = (): TimeZone => zone;

export function setTimeZone(chosen: TimeZone): void {
  zone = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // As above.
  }
  for (const each of listeners) each();
}

export const useTimeZone = (): TimeZone => useSyncExternalStore(subscribe, getTimeZone);

/** How far the zone of choice is ahead of UTC at that time, in minutes. */
export const offsetAt = (time: Date): number => (zone === 'utc' ? 0 : -time.getTimezoneOffset());
