import type { TargetPolicy } from '../../../../src/contract/target-policy';
import type { TargetInput } from '../../api/targets';
import { formatExact } from '../../format/exact';
import {
  describeBreaker,
  DUPLICATES_LABELS,
  describeHeaders,
  describeOrdering,
  describePace,
  describeRetries,
  describeTls,
} from '../../labels/policy-labels';
import { BreakerFields } from './breaker-fields';
import { ChoiceField } from './choice-field';
import type { FormPart } from './form-part';
import { FormSection } from './form-section';
import { HeadersField } from './headers-field';
import { OrderFields } from './order-fields';
import { PaceFields } from './pace-fields';
import { DEFAULT_POLICY, parsePolicy } from './policy-draft';
import { RetryFields } from './retry-fields';
import { StartFields } from './start-fields';
import { TlsFields } from './tls-fields';

interface FormSectionsProps {
  part: FormPart;
  /** What the form says as far as it can be read. */
  input: TargetInput;
  /** Whether the target is still to be made. */
  isNew: boolean;
}

/** Everything about a target that most people leave as it is; each heading tells what is set. */
export function FormSections({ part, input, isNew }: FormSectionsProps) {
  const { draft, changePolicy, errorOf } = part;
  const { policy } = parsePolicy(draft.policy);
  const wrong = (...paths: string[]) => paths.some((path) => errorOf(path) !== undefined);
  const differs = (...names: (keyof TargetPolicy)[]) =>
    names.some((name) => JSON.stringify(policy[name]) !== JSON.stringify(DEFAULT_POLICY[name]));
  const retriesWrong = wrong(
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
          attempts={part.attempts}
          title="Start"
          value={
            input.backfill_since === undefined
              ? 'From now on'
              : `Including stored events since ${formatExact(input.backfill_since).slice(0, 16)}`
          }
          set={draft.since !== ''}
          wrong={wrong('backfill_since')}
        >
          <StartFields {...part} />
        </FormSection>
      )}
      <FormSection
        attempts={part.attempts}
        title="Headers"
        value={describeHeaders(draft.headers.filter(({ name }) => name.trim() !== ''))}
        set={draft.headers.length > 0}
        wrong={wrong('headers')}
      >
        <HeadersField {...part} />
      </FormSection>
      <FormSection
        attempts={part.attempts}
        title="Certificates"
        value={describeTls(input.tls)}
        set={input.tls !== null}
        wrong={wrong('tls')}
      >
        <TlsFields {...part} />
      </FormSection>
      <FormSection
        attempts={part.attempts}
        title="Delivery limits"
        value={describePace(policy)}
        set={differs('timeout_ms', 'concurrency', 'rate', 'success')}
        wrong={wrong('policy.timeout_ms', 'policy.concurrency', 'policy.rate', 'policy.success')}
      >
        <PaceFields {...part} />
      </FormSection>
      <FormSection
        attempts={part.attempts}
        title="Order"
        value={describeOrdering(policy)}
        set={differs('ordering')}
        wrong={wrong('policy.ordering', 'policy.on_dead')}
      >
        <OrderFields {...part} />
      </FormSection>
      <FormSection
        attempts={part.attempts}
        title="Retries"
        value={describeRetries(policy)}
        set={differs('retry', 'jitter', 'max_age_s', 'retry_on', 'retry_after_cap_s')}
        wrong={retriesWrong}
      >
        <RetryFields {...part} read={retriesWrong ? null : policy} />
      </FormSection>
      <FormSection
        attempts={part.attempts}
        title="Circuit breaker"
        value={describeBreaker(policy)}
        set={differs('breaker')}
        wrong={wrong('policy.breaker')}
      >
        <BreakerFields {...part} />
      </FormSection>
      <FormSection
        attempts={part.attempts}
        title="Duplicates"
        value={DUPLICATES_LABELS[policy.duplicates].label}
        set={differs('duplicates')}
        wrong={wrong('policy.duplicates')}
      >
        <ChoiceField
          label="Duplicate notifications"
          value={draft.policy.duplicates}
          choices={DUPLICATES_LABELS}
          change={(duplicates) => changePolicy({ duplicates })}
        />
      </FormSection>
    </>
  );
}
