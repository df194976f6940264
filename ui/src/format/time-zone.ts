import { useSyncExternalStore } from 'react';

/** The time zone of displayed times. */
export type TimeZone = 'local' | 'utc';

const KEY = 'switchboard-times';
const listeners = new Set<() => void>();
let zone: TimeZone = readStored();

function readStored(): TimeZone {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    // If storage is blocked, the choice lasts as long as the page.
    return 'local';
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const getTimeZone = (): TimeZone => zone;

export function setTimeZone(selected: TimeZone): void {
  zone = selected;
  try {
    localStorage.setItem(KEY, selected);
  } catch {
    // Storage is blocked, so the choice lasts as long as the page.
  }
  for (const each of listeners) each();
}

export const useTimeZone = (): TimeZone => useSyncExternalStore(subscribe, getTimeZone);

/** Offset of the selected time zone from UTC at the given time, in minutes. */
export const offsetAt = (time: Date): number => (zone === 'utc' ? 0 : -time.getTimezoneOffset());
