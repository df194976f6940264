import { getTimeZone, offsetAt } from '../format/time-zone';
import { DebouncedInput } from './debounced-input';

interface TimeFieldProps {
  label: string;
  description?: string;
  /** ISO 8601. */
  value: string | undefined;
  onCommit: (at: string | undefined) => void;
}

/** A date and time in the selected time zone. */
export function TimeField({ label, description, value, onCommit }: TimeFieldProps) {
  return (
    <DebouncedInput
      type="datetime-local"
      step={1}
      label={label}
      {...(description !== undefined && { description })}
      value={value === undefined ? '' : toLocal(value)}
      onCommit={(text) => onCommit(text === '' ? undefined : toInstant(text))}
    />
  );
}

/** The field's format, without a time zone. The value comes from the URL, so it may be invalid. */
function toLocal(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() + offsetAt(time) * 60_000).toISOString().slice(0, 19);
}

const toInstant = (text: string): string =>
  new Date(getTimeZone() === 'utc' ? `${text}Z` : text).toISOString();
