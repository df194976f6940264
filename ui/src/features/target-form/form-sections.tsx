import type { TargetPolicy } from '@contract/target-policy';
import type { TargetInput } from '../../api/targets';
import { formatExact } from '../../format/exact';
import {
  describeBreaker,
  DUPLICATES_LABELS,
  SYNTHETIC_LABELS,
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
import { describeSignatures } from '../../labels/signature-labels';
import { SignatureFields } from './signature-fields';
import { StartFields } from './start-fields';
import { defaultPolicyOf } from './target-draft';
import { TlsFields } from './tls-fields';

interface FormSectionsProps {
  part: FormPart;
  /** The parsed form; invalid fields have their defaults. */
  input: TargetInput;
  /** Whether the form creates a target. */
  isNew: boolean;
}

/** Which settings differ from the defaults, and where errors are. */
function readPart({ draft, errorOf }: FormPart) {
  const { policy } = parsePolicy(draft.policy);
  const defaults = defaultPolicyOf(draft.kind);
  const hasError = (...paths: string[]) => paths.some((path) => errorOf(path) !== undefined);
  const differs = (...names: (keyof TargetPolicy)[]) =>
    names.some((name) => JSON.stringify(policy[name]) !== JSON.stringify(defaults[name]));
  return { policy, hasError, differs };
}

/** When a target receives what: start, order and retries. */
export function DeliverySections({ part, input, isNew }: FormSectionsProps) {
  const { draft } = part;
  const { policy, hasError, differs } = readPart(part);
  const hasRetryError = hasError(
    'policy.retry',
    'policy.jitter',
    'policy.max_age_s',
    'policy.retry_on',
    'policy.retry_after_cap_s',
  );
  return (
    <>
      {isNew && draft.format === 'json' && (
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
    </>
  );
}

/** The settings that few targets need, in one section. */
export function AdvancedSections({ part, input }: Omit<FormSectionsProps, 'isNew'>) {
  const { draft, changePolicy } = part;
  const { policy, hasError, differs } = readPart(part);
  const { signature = null, ed25519 = false } = input;
  const areSignaturesChanged = signature !== null || ed25519;
  const limits = ['timeout_ms', 'concurrency', 'rate', 'success'] as const;
  const changed = [
    draft.headers.length > 0,
    input.tls !== null,
    areSignaturesChanged,
    differs(...limits),
    differs('breaker'),
    differs('duplicates'),
    differs('synthetic'),
  ].filter(Boolean).length;
  return (
    <FormSection
      saveAttempts={part.saveAttempts}
      title="Advanced"
      value={`Headers, signatures, certificates, limits, circuit breaker, duplicates${changed === 0 ? '' : `: ${changed} changed`}`}
      isChanged={changed > 0}
      hasError={hasError(
        'headers',
        'signature',
        'ed25519',
        'tls',
        'policy.breaker',
        'policy.duplicates',
        'policy.synthetic',
        ...limits.map((name) => `policy.${name}`),
      )}
    >
      <div>
        <FormSection
          saveAttempts={part.saveAttempts}
          title="Headers"
          value={describeHeaders(draft.headers.filter(({ name }) => name.trim() !== ''))}
          isChanged={draft.headers.length > 0}
          hasError={hasError('headers')}
        >
          <HeadersField {...part} />
        </FormSection>
        {draft.format === 'json' && (
          <FormSection
            saveAttempts={part.saveAttempts}
            title="Signatures"
            value={describeSignatures(signature, ed25519)}
            isChanged={areSignaturesChanged}
            hasError={hasError('signature', 'ed25519')}
          >
            <SignatureFields {...part} />
          </FormSection>
        )}
        {draft.kind === 'http' && (
          <FormSection
            saveAttempts={part.saveAttempts}
            title="Certificates"
            value={describeTls(input.tls)}
            isChanged={input.tls !== null}
            hasError={hasError('tls')}
          >
            <TlsFields {...part} />
          </FormSection>
        )}
        <FormSection
          saveAttempts={part.saveAttempts}
          title="Delivery limits"
          value={describeLimits(policy)}
          isChanged={differs(...limits)}
          hasError={hasError(...limits.map((name) => `policy.${name}`))}
        >
          <LimitFields {...part} />
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
        <FormSection
          saveAttempts={part.saveAttempts}
          title="Synthetic events"
          value={SYNTHETIC_LABELS[policy.synthetic].label}
          isChanged={differs('synthetic')}
          hasError={hasError('policy.synthetic')}
        >
          <RadioField
            label="Events that repairs have made"
            value={draft.policy.synthetic}
            choices={SYNTHETIC_LABELS}
            change={(synthetic) => changePolicy({ synthetic })}
          />
        </FormSection>
      </div>
    </FormSection>
  );
}
