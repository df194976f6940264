import { Link } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { Fact, Facts } from '../../components/facts';
import { Help } from '../../components/help';
import { Mono } from '../../components/mono';
import { TextBlock } from '../../components/text-block';
import { describeFilter } from '../../features/target-form/filter-builder/describe-filter';
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
  const { id, format, events, filter, headers, signature, tls, policy, transform } = target;
  return (
    <Facts>
      <Fact name="Format">{FORMAT_LABELS[format].label}</Fact>
      <Fact name="Events">{describeEvents(events, Infinity)}</Fact>
      <Fact name="Filter">
        {filter === null
          ? 'None: all events of these types'
          : (describeFilter(filter) ?? <TextBlock>{formatJson(filter)}</TextBlock>)}
      </Fact>
      <Fact name="Headers">{describeHeaders(headers)}</Fact>
      {format === 'json' && (
        <Fact name="Body">
          <Link to="/targets/$id/transformation" params={{ id }}>
            {transform === null
              ? 'The payload, unchanged'
              : `Made by an expression, version ${transform.version}`}
          </Link>
        </Fact>
      )}
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
      <Fact name="Delivery limits" help={helpOn('Delivery limits', HELP.limits)}>
        {describeLimits(policy)}
      </Fact>
      <Fact name="Order" help={helpOn('Order', HELP.order, ...target.warnings.filter(isAboutOrder))}>
        {describeOrdering(policy)}
      </Fact>
      <Fact name="Retries" help={helpOn('Retries', HELP.retries)}>
        {describeSchedule(policy)}
        {describeRetryExceptions(policy).length > 0 && (
          <p>Retried {describeRetryExceptions(policy).join(', ')}.</p>
        )}
      </Fact>
      <Fact name="Circuit breaker" help={helpOn('Circuit breaker', HELP.breaker)}>
        {describeBreaker(policy)}
      </Fact>
      <Fact name="Duplicates" help={helpOn('Duplicates', HELP.duplicates)}>
        {DUPLICATES_LABELS[policy.duplicates].label}
      </Fact>
    </Facts>
  );
}

const HELP = {
  limits:
    'Concurrency is how many requests may be under way at the same time. A rate limit spreads them over time: what exceeds it stays queued, and nothing is lost.',
  order:
    'What is sent in order forms a lane, one for each entity or one for all events, in which a delivery waits for its predecessor: until that is delivered, or has failed for good. A dead letter blocks its lane if the target stops there.',
  retries:
    'A failed attempt is repeated after these delays. After the last one, or at the end of its lifetime, a delivery becomes a dead letter: it is listed under Failures until it is retried or discarded.',
  breaker:
    'Stops sending to a target that keeps failing. Deliveries stay queued, and no attempts are used up. Single attempts, the probes, detect its recovery.',
  duplicates:
    'Co-Pilot may send a notification twice. What is held back is stored and listed with its event, but not delivered.',
};

const helpOn = (about: string, ...texts: string[]) => (
  <Help about={about} schema="TargetPolicy">
    {texts.map((text) => (
      <p key={text}>{text}</p>
    ))}
  </Help>
);
