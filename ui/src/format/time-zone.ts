import { oneOf, StoredChoice } from './stored-choice';

/** The time zone of displayed times. */
export type TimeZone = 'local' | 'utc';

const choice = new StoredChoice<TimeZone>('switchboard-times', oneOf('local', 'utc'));

export const getTimeZone = choice.get;
export const setTimeZone = (selected: TimeZone): void => choice.set(selected);
export const useTimeZone = choice.use;
export const subscribeToTimeZone = choice.subscribe;

/** Offset of the selected time zone from UTC at the given time, in minutes. */
export const offsetAt = (time: Date): number => (choice.get() === 'utc' ? 0 : -time.getTimezoneOffset());
