import { TextInput } from '@mantine/core';
import { RadioField } from './radio-field';
import type { FormPart } from './form-part';

const START_OPTIONS = {
  now: { label: 'From now on', description: 'Receives events that arrive after it is added.' },
  time: {
    label: 'From a point in time',
    description: 'Also replays matching events stored since then, oldest first.',
  },
};

const DAY_MS = 86_400_000;

/** A time as the field's value: in the local time zone, to the minute. */
function toLocalTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** From when on a new target receives events. */
export function StartFields({ draft: { since }, change, errorOf }: FormPart) {
  return (
    <>
      <RadioField
        label="Start receiving events"
        value={since === '' ? 'now' : 'time'}
        choices={START_OPTIONS}
        change={(choice) => change({ since: choice === 'now' ? '' : toLocalTime(Date.now() - DAY_MS) })}
      />
      {since !== '' && (
        <TextInput
          label="Received since"
          description="In your local time zone."
          type="datetime-local"
          value={since}
          error={errorOf('backfill_since')}
          w={240}
          maw="100%"
          onChange={({ currentTarget }) => change({ since: currentTarget.value })}
        />
      )}
    </>
  );
}
