import { Checkbox } from '@mantine/core';
import type { TargetPolicy } from '@contract/target-policy';
import { describeSchedule } from '../../labels/schedule-labels';
import { RadioField } from './radio-field';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

const SCHEDULE_OPTIONS = {
  delays: {
    label: 'Custom delays',
    description: 'A list of delays; there is one more attempt than there are delays.',
  },
  backoff: {
    label: 'Exponential backoff',
    description: 'Each delay is a multiple of the previous one, up to a maximum.',
  },
};

const RETRY_OPTIONS = {
  all: {
    label: 'All failed responses',
    description: 'Includes 4xx, which receivers often return while being fixed.',
  },
  some: { label: 'Specific statuses', description: 'Any other response fails the delivery immediately.' },
};

/** @param parsed the policy in the fields; null while one of them is invalid */
export function RetryFields({
  draft: { policy },
  changePolicy,
  errorOf,
  parsed,
}: FormPart & { parsed: TargetPolicy | null }) {
  return (
    <>
      <div className={classes.schedule} aria-live="polite">
        {parsed === null ? 'The schedule appears here once its fields are valid.' : describeSchedule(parsed)}
      </div>
      <RadioField
        label="Retry schedule"
        value={policy.retryKind}
        choices={SCHEDULE_OPTIONS}
        change={(retryKind) => changePolicy({ retryKind })}
      />
      {policy.retryKind === 'delays' ? (
        <TextField
          label="Delays"
          description="Comma-separated: 5 s, 3 min, 2.5 h. Leave empty for a single attempt."
          value={policy.delays}
          error={errorOf('policy.retry')}
          change={(delays) => changePolicy({ delays })}
        />
      ) : (
        <div className={classes.fields}>
          <TextField
            label="Attempts"
            description="Including the first one. 1 to 100."
            value={policy.attempts}
            error={errorOf('policy.retry.attempts')}
            change={(attempts) => changePolicy({ attempts: attempts })}
          />
          <TextField
            label="First delay"
            description="After the first attempt."
            value={policy.firstDelay}
            error={errorOf('policy.retry.first_s')}
            change={(first) => changePolicy({ firstDelay: first })}
          />
          <TextField
            label="Multiplier"
            description="1 to 10."
            value={policy.multiplier}
            error={errorOf('policy.retry.factor')}
            change={(factor) => changePolicy({ multiplier: factor })}
          />
          <TextField
            label="Maximum delay"
            description="Delays do not grow beyond this."
            value={policy.maxDelay}
            error={errorOf('policy.retry.cap_s')}
            change={(cap) => changePolicy({ maxDelay: cap })}
          />
        </div>
      )}
      <div className={classes.fields}>
        <TextField
          label="Jitter (%)"
          description="Random variation of each delay. 0 to 100."
          value={policy.jitter}
          error={errorOf('policy.jitter')}
          change={(jitter) => changePolicy({ jitter })}
        />
        <TextField
          label="Lifetime"
          description="Deliveries older than this fail permanently, even if the target was paused."
          value={policy.lifetime}
          error={errorOf('policy.max_age_s')}
          change={(maxAge) => changePolicy({ lifetime: maxAge })}
        />
        <TextField
          label="Maximum Retry-After"
          description="A target can request a longer delay with Retry-After, up to this."
          value={policy.maxRetryAfter}
          error={errorOf('policy.retry_after_cap_s')}
          change={(retryAfterCap) => changePolicy({ maxRetryAfter: retryAfterCap })}
        />
      </div>
      <RadioField
        label="Retry on"
        value={policy.retryAllStatuses ? 'all' : 'some'}
        choices={RETRY_OPTIONS}
        change={(choice) => changePolicy({ retryAllStatuses: choice === 'all' })}
      />
      {!policy.retryAllStatuses && (
        <TextField
          label="Statuses"
          description="Individual statuses or ranges: 408, 429, 5xx."
          value={policy.retryStatuses}
          error={errorOf('policy.retry_on.statuses')}
          change={(retryStatuses) => changePolicy({ retryStatuses })}
        />
      )}
      <Checkbox
        label="Retry when there is no response"
        description="Connection refused, connection lost or timed out."
        checked={policy.retryNetwork}
        onChange={({ currentTarget }) => changePolicy({ retryNetwork: currentTarget.checked })}
      />
      <p className={classes.muted}>
        410 Gone disables the target: it receives no new events, and queued deliveries become dead letters.
      </p>
    </>
  );
}
