import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { formatTime, parseTime, resolveTimeRange, type TimeRange } from '../../format/time-range';
import { useTimeZone } from '../../format/time-zone';
import classes from './time-range-control.module.css';

const FORMAT = 'YYYY-MM-DD HH:mm';
const FORMAT_ERROR = 'Write it as 2026-11-22 23:00.';

interface CustomRangeProps {
  value: TimeRange;
  onApply: (range: TimeRange) => void;
}

/** Two times to write; either may be empty. A relative range is shown as the times that it has now. */
export function CustomRange({ value, onApply }: CustomRangeProps) {
  const zone = useTimeZone();
  const [draft, setDraft] = useState(() => {
    const { since, until } = resolveTimeRange(value, Date.now());
    return {
      since: since === undefined ? '' : formatTime(since),
      until: until === undefined ? '' : formatTime(until),
    };
  });
  const [errors, setErrors] = useState<{ since?: string; until?: string }>({});
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const [since, until] = [parseTime(draft.since), parseTime(draft.until)];
    const found = {
      ...(since === null && draft.since.trim() !== '' && { since: FORMAT_ERROR }),
      ...(until === null && draft.until.trim() !== '' && { until: FORMAT_ERROR }),
      ...(since !== null && until !== null && since >= until && { until: 'Must be after From.' }),
    };
    setErrors(found);
    if (Object.keys(found).length === 0)
      onApply({ ...(since !== null && { since }), ...(until !== null && { until }) });
  };
  const field = (name: 'since' | 'until', label: string) => (
    <TextInput
      label={label}
      placeholder={FORMAT}
      autoComplete="off"
      inputMode="numeric"
      value={draft[name]}
      error={errors[name]}
      onChange={({ currentTarget }) => setDraft({ ...draft, [name]: currentTarget.value })}
    />
  );
  return (
    <form className={classes.custom} onSubmit={apply} noValidate>
      {field('since', 'From')}
      {field('until', 'Until')}
      <p className={classes.zone}>
        {FORMAT}, 24 hours, {zone === 'utc' ? 'UTC' : 'your time zone'}.
      </p>
      <Button type="submit" variant="filled" fullWidth>
        Apply
      </Button>
    </form>
  );
}
