import { TextInput } from '@mantine/core';
import { ChoiceField } from './choice-field';
import type { FormPart } from './form-part';

const STARTS = {
  now: { word: 'From now on', meaning: 'Receives events that arrive after it is added.' },
  time: {
    word: 'From a point in time',
    meaning: 'Also replays matching events stored since then, oldest first.',
  },
};

const DAY_MS = 86_400_000;

/** A time as its field holds it: of the reader's own zone, to the minute. */
function fieldTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** From when on a new target gets events. */
export function StartFields({ draft: { since }, change, complaint }: FormPart) {
  return (
    <>
      <ChoiceField
        label="Start receiving events"
        value={since === '' ? 'now' : 'time'}
        choices={STARTS}
        change={(choice) => change({ since: choice === 'now' ? '' : fieldTime(Date.now() - DAY_MS) })}
      />
      {since !== '' && (
        <TextInput
          label="Received since"
          description="In your own time zone."
          type="datetime-local"
          value={since}
          error={complaint('backfill_since')}
          w={240}
          maw="100%"
          onChange={({ currentTarget }) => change({ since: currentTarget.value })}
        />
      )}
    </>
  );
}
