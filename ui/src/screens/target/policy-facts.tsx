import type { Target } from '@contract/target';
import { Fact, Facts } from '../../components/facts';
import { TextBlock } from '../../components/text-block';
import { formatJson } from '../../format/json';
import {
  describeBreaker,
  DUPLICATES_LABELS,
  describeHeaders,
  describeOrdering,
  describeLimits,
  describeRetryExceptions,
  describeTls,
} from '../../labels/policy-labels';
import { describeSchedule } from '../../labels/schedule-labels';
import { FORMAT_LABELS } from '../../labels/format-labels';
import { describeSignatures } from '../../labels/signature-labels';
import { describeEvents } from '../../labels/target-labels';

/** The settings of a target. */
export function PolicyFacts({ target }: { target: Target }) {
  const { format, events, filter, headers, tls, policy } = target;
  return (
    <Facts>
      <Fact name="Format">{FORMAT_LABELS[format].label}</Fact>
      <Fact name="Events">{describeEvents(events, Infinity)}</Fact>
      <Fact name="Filter">
        {filter === null ? 'None: all events of these types' : <TextBlock>{formatJson(filter)}</TextBlock>}
      </Fact>
      <Fact name="Headers">{describeHeaders(headers)}</Fact>
      {format === 'json' && (
        <Fact name="Signatures">{describeSignatures(target.signature, target.ed25519)}</Fact>
      )}
      {target.kind === 'http' && <Fact name="Certificates">{describeTls(tls)}</Fact>}
      <Fact name="Delivery limits">{describeLimits(policy)}</Fact>
      <Fact name="Order">{describeOrdering(policy)}</Fact>
      <Fact name="Retries">
        {describeSchedule(policy)}
        {describeRetryExceptions(policy).length > 0 && (
          <p>Retried {describeRetryExceptions(policy).join(', ')}.</p>
        )}
      </Fact>
      <Fact name="Circuit breaker">{describeBreaker(policy)}</Fact>
      <Fact name="Duplicates">{DUPLICATES_LABELS[policy.duplicates].label}</Fact>
    </Facts>
  );
}
