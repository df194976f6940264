import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatTime, parseTime } from '../format/time-range';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DURATIONS = [
  { label: '30 minutes', ms: HOUR_MS / 2 },
  { label: '1 hour', ms: HOUR_MS },
  { label: '4 hours', ms: 4 * HOUR_MS },
  { label: '1 day', ms: 24 * HOUR_MS },
  { label: '1 week', ms: 7 * 24 * HOUR_MS },
] as const;

const CHOSEN_TIME = 'time';

/** When something ends: after a duration, at a chosen time, or (null) not by itself. */
export type End = { ms: number } | { at: string } | null;

/** The time of an end, in ISO 8601. */
export const timeOf = (end: End): string | null => {
  if (end === null) return null;
  return 'at' in end ? end.at : new Date(Date.now() + end.ms).toISOString();
};

interface UntilFieldProps {
  label: string;
  /** Label of the choice without an end; without it, there is always an end. */
  never?: string;
  value: End;
  onChange: (end: End) => void;
}

/** Selects when something ends. */
export function UntilField({ label, never, value, onChange }: UntilFieldProps) {
  const [text, setText] = useState<string | null>(null);
  const choosing = text !== null;
  const durations = DURATIONS.map(({ label: name, ms }) => ({ value: String(ms), label: name }));
  const selected = choosing ? CHOSEN_TIME : value !== null && 'ms' in value ? String(value.ms) : '';
  return (
    <>
      <NativeSelect
        label={label}
        value={selected}
        data={[
          ...(never === undefined ? [] : [{ value: '', label: never }]),
          ...durations,
          { value: CHOSEN_TIME, label: 'Until a time…' },
        ]}
        onChange={({ currentTarget: { value: choice } }) => {
          const inAnHour = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + HOUR_MS).toISOString();
          setText(choice === CHOSEN_TIME ? formatTime(inAnHour) : null);
          if (choice === '') onChange(null);
          else onChange(choice === CHOSEN_TIME ? { at: inAnHour } : { ms: Number(choice) });
        }}
      />
      {choosing && (
        <TextInput
          label="Until"
          description="YYYY-MM-DD HH:mm"
          autoComplete="off"
          value={text}
          error={parseTime(text) === null && 'Write it as 2026-11-22 23:00.'}
          onChange={({ currentTarget: { value: typed } }) => {
            setText(typed);
            // An invalid time is rejected when the form is sent.
            onChange({ at: parseTime(typed) ?? typed });
          }}
        />
      )}
    </>
  );
}
