import { getTimeZone, offsetAt } from '../format/time-zone';
import { DebouncedInput } from './debounced-input';

interface TimeFieldProps {
  label: string;
  description?: string;
  /** ISO 8601, or nothing. */
  value: string | undefined;
  onSettle: (at: string | undefined) => void;
}

/** A point in time, in the zone that the reader has chosen. */
export function TimeField({ label, description, value, onSettle }: TimeFieldProps) {
  return (
    <DebouncedInput
      type="datetime-local"
      step={1}
      label={label}
      {...(description !== undefined && { description })}
      value={value === undefined ? '' : toLocal(value)}
      onSettle={(text) => onSettle(text === '' ? undefined : toInstant(text))}
    />
  );
}

/** As the field wants it: without a zone. An address may hold anything; what is no time is none. */
function toLocal(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() + offsetAt(time) * 60_000).toISOString().slice(0, 19);
}

const toInstant = (text: string): string =>
  new Date(getTimeZone() === 'utc' ? `${text}Z` : text).toISOString();
