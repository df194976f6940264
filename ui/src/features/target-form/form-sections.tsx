import { Switch } from '@mantine/core';
import type { TargetPolicy } from '@contract/target-policy';
import type { TargetInput } from '../../api/targets';
import { formatExact } from '../../format/exact';
import {
  describeBreaker,
  DUPLICATES_LABELS,
  SYNTHETIC_LABELS,
  describeHeaders,
  describeLimits,
  describeRetries,
  describeTls,
} from '../../labels/policy-labels';
import { BreakerFields } from './breaker-fields';
import { RadioField } from './radio-field';
import type { FormPart } from './form-part';
import { describeFilter } from './filter-builder/describe-filter';
import { FilterField } from './filter-field';
import { FormSection, type FormSectionProps } from './form-section';
import { HeadersField } from './headers-field';
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

/** What a target receives of the events of its types. */
export function FilterSection({ part, input: { filter = null } }: Omit<FormSectionsProps, 'isNew'>) {
  return (
    <FormSection
      title="Filter by content"
      value={
        filter === null ? 'None: all events of these types' : (describeFilter(filter) ?? 'Written as JSON')
      }
      isChanged={filter !== null}
      hasError={part.errorOf('filter') !== undefined}
    >
      <FilterField {...part} />
    </FormSection>
  );
}

/** When a target receives what: its state, start and retries. */
export function DeliverySections({ part, input, isNew }: FormSectionsProps) {
  const { draft, change } = part;
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
        title="Receives new events"
        value={draft.enabled ? 'Yes' : 'No: disabled'}
        isChanged={!draft.enabled}
        hasError={hasError('enabled')}
      >
        <Switch
          label="Receives new events"
          description="Events that arrive while it is disabled are never sent. To queue them and send them later, pause it instead."
          checked={draft.enabled}
          onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })}
        />
      </FormSection>
      <FormSection
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

const LIMITS = ['timeout_ms', 'concurrency', 'rate', 'success'] as const;

/** The settings that few targets need, in one section, which says what is not as usual. */
export function AdvancedSections({ part, input }: Omit<FormSectionsProps, 'isNew'>) {
  const sections = advancedSections(part, input);
  const changed = sections.filter(({ isChanged }) => isChanged);
  const usual = sections.map(({ title }) => title.toLowerCase()).join(', ');
  return (
    <FormSection
      title="Advanced"
      value={
        changed.length === 0
          ? `Defaults for ${usual}`
          : changed.map(({ title, value }) => `${title}: ${value}`).join('. ')
      }
      isChanged={changed.length > 0}
      hasError={sections.some(({ hasError }) => hasError)}
    >
      <div>
        {sections.map((section) => (
          <FormSection key={section.title} {...section} />
        ))}
      </div>
    </FormSection>
  );
}

function advancedSections(part: FormPart, input: TargetInput): FormSectionProps[] {
  const { draft, changePolicy } = part;
  const { policy, hasError, differs } = readPart(part);
  const { signature = null, ed25519 = false } = input;
  const sections: (FormSectionProps | false)[] = [
    {
      title: 'Headers',
      value: describeHeaders(draft.headers.filter(({ name }) => name.trim() !== '')),
      isChanged: draft.headers.length > 0,
      hasError: hasError('headers'),
      children: <HeadersField {...part} />,
    },
    draft.format === 'json' && {
      title: 'Signatures',
      value: describeSignatures(signature, ed25519),
      isChanged: signature !== null || ed25519,
      hasError: hasError('signature', 'ed25519'),
      children: <SignatureFields {...part} />,
    },
    draft.kind === 'http' && {
      title: 'Certificates',
      value: describeTls(input.tls),
      isChanged: input.tls !== null,
      hasError: hasError('tls'),
      children: <TlsFields {...part} />,
    },
    {
      title: 'Delivery limits',
      value: describeLimits(policy),
      isChanged: differs(...LIMITS),
      hasError: hasError(...LIMITS.map((name) => `policy.${name}`)),
      children: <LimitFields {...part} />,
    },
    {
      title: 'Circuit breaker',
      value: describeBreaker(policy),
      isChanged: differs('breaker'),
      hasError: hasError('policy.breaker'),
      children: <BreakerFields {...part} />,
    },
    {
      title: 'Duplicates',
      value: DUPLICATES_LABELS[policy.duplicates].label,
      isChanged: differs('duplicates'),
      hasError: hasError('policy.duplicates'),
      children: (
        <RadioField
          label="Duplicate notifications"
          value={draft.policy.duplicates}
          choices={DUPLICATES_LABELS}
          change={(duplicates) => changePolicy({ duplicates })}
        />
      ),
    },
    {
      title: 'Synthetic events',
      value: SYNTHETIC_LABELS[policy.synthetic].label,
      isChanged: differs('synthetic'),
      hasError: hasError('policy.synthetic'),
      children: (
        <RadioField
          label="Events that repairs have made"
          value={draft.policy.synthetic}
          choices={SYNTHETIC_LABELS}
          change={(synthetic) => changePolicy({ synthetic })}
        />
      ),
    },
  ];
  return sections.filter((section) => section !== false);
}
