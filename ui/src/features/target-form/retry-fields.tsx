import { Checkbox } from '@mantine/core';
import type { TargetPolicy } from '../../../../src/contract/target-policy';
import { describeSchedule } from '../../labels/schedule-labels';
import { ChoiceField } from './choice-field';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

const KINDS = {
  list: { word: 'One by one', meaning: 'The pauses as a list; there is one try more than there are pauses.' },
  growing: { word: 'Growing', meaning: 'Each pause is so many times the one before, up to a longest.' },
};

const RETRIED = {
  all: {
    word: 'Every answer but success',
    meaning: 'Also 4xx: a receiver that is being mended refuses much.',
  },
  some: { word: 'Only some answers', meaning: 'Any other is the last: the delivery is dead at once.' },
};

/** @param read the policy as it stands in the fields; null while something in them cannot be read */
export function RetryFields({
  draft: { policy },
  changePolicy,
  complaint,
  read,
}: FormPart & { read: TargetPolicy | null }) {
  return (
    <>
      <div className={classes.told} aria-live="polite">
        {read === null ? 'The schedule appears here once its fields can be read.' : describeSchedule(read)}
      </div>
      <ChoiceField
        label="Pauses between the tries"
        value={policy.retryKind}
        choices={KINDS}
        change={(retryKind) => changePolicy({ retryKind })}
      />
      {policy.retryKind === 'list' ? (
        <TextField
          label="Pauses"
          description="With commas between them: 5 s, 3 min, 2.5 h. None at all: one try."
          value={policy.delays}
          error={complaint('policy.retry')}
          change={(delays) => changePolicy({ delays })}
        />
      ) : (
        <div className={classes.fields}>
          <TextField
            label="Tries"
            description="The first one counted. 1 to 100."
            value={policy.tries}
            error={complaint('policy.retry.tries')}
            change={(tries) => changePolicy({ tries })}
          />
          <TextField
            label="First pause"
            description="After the first try."
            value={policy.first}
            error={complaint('policy.retry.first_s')}
            change={(first) => changePolicy({ first })}
          />
          <TextField
            label="Times"
            description="What each pause grows by. 1 to 10."
            value={policy.factor}
            error={complaint('policy.retry.factor')}
            change={(factor) => changePolicy({ factor })}
          />
          <TextField
            label="Longest pause"
            description="It grows no further than this."
            value={policy.cap}
            error={complaint('policy.retry.cap_s')}
            change={(cap) => changePolicy({ cap })}
          />
        </div>
      )}
      <div className={classes.fields}>
        <TextField
          label="Chance, in percent"
          description="By how much a pause may be longer or shorter. 0 to 100."
          value={policy.jitter}
          error={complaint('policy.jitter')}
          change={(jitter) => changePolicy({ jitter })}
        />
        <TextField
          label="Lifetime"
          description="What could not be delivered by then is given up, whatever held it up: a pause too."
          value={policy.maxAge}
          error={complaint('policy.max_age_s')}
          change={(maxAge) => changePolicy({ maxAge })}
        />
        <TextField
          label="Retry-After, at most"
          description="A target may ask to be left alone for longer than the pause, up to this."
          value={policy.retryAfterCap}
          error={complaint('policy.retry_after_cap_s')}
          change={(retryAfterCap) => changePolicy({ retryAfterCap })}
        />
      </div>
      <ChoiceField
        label="Which answers are tried again"
        value={policy.retryAll ? 'all' : 'some'}
        choices={RETRIED}
        change={(choice) => changePolicy({ retryAll: choice === 'all' })}
      />
      {!policy.retryAll && (
        <TextField
          label="These answers"
          description="Statuses, or a hundred of them: 408, 429, 5xx."
          value={policy.retryStatuses}
          error={complaint('policy.retry_on.statuses')}
          change={(retryStatuses) => changePolicy({ retryStatuses })}
        />
      )}
      <Checkbox
        label="Try again where there was no answer"
        description="Nothing listens, the connection broke, the time to answer was over."
        checked={policy.retryNetwork}
        onChange={({ currentTarget }) => changePolicy({ retryNetwork: currentTarget.checked })}
      />
      <p className={classes.muted}>
        410 Gone ends all: the target is disabled, new events pass it by, and what is open becomes a dead
        letter.
      </p>
    </>
  );
}
