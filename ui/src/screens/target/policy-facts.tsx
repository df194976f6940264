import type { Target } from '@contract/target';
import { Fact, Facts } from '../../components/facts';
import { Help } from '../../components/help';
import { Mono } from '../../components/mono';
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
import { describeSignatures, SIGNATURE_FORM_LABELS } from '../../labels/signature-labels';
import { describeEvents } from '../../labels/target-labels';

/** Said beside the order, not as a warning. */
export const isAboutOrder = (warning: string): boolean => warning.startsWith('The ordering ');

/** The settings of a target. */
export function PolicyFacts({ target }: { target: Target }) {
  const { format, events, filter, headers, signature, tls, policy } = target;
  return (
    <Facts>
      <Fact name="Format">{FORMAT_LABELS[format].label}</Fact>
      <Fact name="Events">{describeEvents(events, Infinity)}</Fact>
      <Fact name="Filter">
        {filter === null ? 'None: all events of these types' : <TextBlock>{formatJson(filter)}</TextBlock>}
      </Fact>
      <Fact name="Headers">{describeHeaders(headers)}</Fact>
      {format === 'json' && (
        <Fact name="Signatures">
          {describeSignatures(null, target.ed25519)}
          {signature !== null && (
            <>
              ; <Mono whole>{signature.header}</Mono>: {SIGNATURE_FORM_LABELS[signature.form]}
            </>
          )}
        </Fact>
      )}
      {target.kind === 'http' && <Fact name="Certificates">{describeTls(tls)}</Fact>}
      <Fact name="Delivery limits">{describeLimits(policy)}</Fact>
      <Fact
        name="Order"
        help={
          <Help about="Order" file="docs/delivery.md">
            <p>
              What is sent in order waits for its predecessor: until that is delivered, or has failed for
              good. A dead letter blocks what is behind it if the target stops there.
            </p>
            {target.warnings.filter(isAboutOrder).map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </Help>
        }
      >
        {describeOrdering(policy)}
      </Fact>
      <Fact name="Retries">
        {describeSchedule(policy)}
        {describeRetryExceptions(policy).length > 0 && (
          <p>Retried {describeRetryExceptions(policy).join(', ')}.</p>
        )}
      </Fact>
      <Fact
        name="Circuit breaker"
        help={
          <Help about="Circuit breaker" file="docs/delivery.md">
            <p>
              Stops sending to a target that keeps failing. Deliveries stay queued, and no attempts are used
              up. Single attempts, the probes, detect its recovery.
            </p>
          </Help>
        }
      >
        {describeBreaker(policy)}
      </Fact>
      <Fact name="Duplicates">{DUPLICATES_LABELS[policy.duplicates].label}</Fact>
    </Facts>
  );
}
