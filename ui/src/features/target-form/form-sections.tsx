import { DEFAULT_POLICY } from '@contract/default-policy';
import type { TargetPolicy } from '@contract/target-policy';
import type { TargetInput } from '../../api/targets';
import { formatExact } from '../../format/exact';
import {
  describeBreaker,
  DUPLICATES_LABELS,
  describeHeaders,
  describeOrdering,
  describeLimits,
  describeRetries,
  describeTls,
} from '../../labels/policy-labels';
import { BreakerFields } from './breaker-fields';
import { RadioField } from './radio-field';
import type { FormPart } from './form-part';
import { FormSection } from './form-section';
import { HeadersField } from './headers-field';
import { OrderFields } from './order-fields';
import { LimitFields } from './limit-fields';
import { parsePolicy } from './policy-draft';
import { RetryFields } from './retry-fields';
import { StartFields } from './start-fields';
import { TlsFields } from './tls-fields';

interface FormSectionsProps {
  part: FormPart;
  /** The parsed form; invalid fields have their defaults. */
  input: TargetInput;
  /** Whether the form creates a target. */
  isNew: boolean;
}

/** The advanced settings of a target. */
export function FormSections({ part, input, isNew }: FormSectionsProps) {
  const { draft, changePolicy, errorOf } = part;
  const { policy } = parsePolicy(draft.policy);
  const hasError = (...paths: string[]) => paths.some((path) => errorOf(path) !== undefined);
  const differs = (...names: (keyof TargetPolicy)[]) =>
    names.some((name) => JSON.stringify(policy[name]) !== JSON.stringify(DEFAULT_POLICY[name]));
  const hasRetryError = hasError(
    'policy.retry',
    'policy.jitter',
    'policy.max_age_s',
    'policy.retry_on',
    'policy.retry_after_cap_s',
  );
  return (
    <>
      {isNew && (
        <FormSection
          saveAttempts={part.saveAttempts}
          title="Start"
          value={
            input.backfill_since === undefined
              ? 'From now on'
              : `Including stored events since ${formatExact(input.backfill_since).slice(0, 16)}`
          }
          isChanged={draft.since !== ''}
          hasError={hasError('backfill_since')}
        >
          <StartFields {...part} />
        </FormSection>
      )}
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Headers"
        value={describeHeaders(draft.headers.filter(({ name }) => name.trim() !== ''))}
        isChanged={draft.headers.length > 0}
        hasError={hasError('headers')}
      >
        <HeadersField {...part} />
      </FormSection>
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Certificates"
        value={describeTls(input.tls)}
        isChanged={input.tls !== null}
        hasError={hasError('tls')}
      >
        <TlsFields {...part} />
      </FormSection>
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Delivery limits"
        value={describeLimits(policy)}
        isChanged={differs('timeout_ms', 'concurrency', 'rate', 'success')}
        hasError={hasError('policy.timeout_ms', 'policy.concurrency', 'policy.rate', 'policy.success')}
      >
        <LimitFields {...part} />
      </FormSection>
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Order"
        value={describeOrdering(policy)}
        isChanged={differs('ordering')}
        hasError={hasError('policy.ordering', 'policy.on_dead')}
      >
        <OrderFields {...part} />
      </FormSection>
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Retries"
        value={describeRetries(policy)}
        isChanged={differs('retry', 'jitter', 'max_age_s', 'retry_on', 'retry_after_cap_s')}
        hasError={hasRetryError}
      >
        <RetryFields {...part} parsed={hasRetryError ? null : policy} />
      </FormSection>
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Circuit breaker"
        value={describeBreaker(policy)}
        isChanged={differs('breaker')}
        hasError={hasError('policy.breaker')}
      >
        <BreakerFields {...part} />
      </FormSection>
      <FormSection
        saveAttempts={part.saveAttempts}
        title="Duplicates"
        value={DUPLICATES_LABELS[policy.duplicates].label}
        isChanged={differs('duplicates')}
        hasError={hasError('policy.duplicates')}
      >
        <RadioField
          label="Duplicate notifications"
          value={draft.policy.duplicates}
          choices={DUPLICATES_LABELS}
          change={(duplicates) => changePolicy({ duplicates })}
        />
      </FormSection>
    </>
  );
}
