import type { Target } from '@contract/target';
import type { StatusRange, TargetPolicy } from '@contract/target-policy';
import { formatDuration } from '../format/duration';
import { formatCount, formatNoun } from '../format/number';
import { describeAttempts } from './schedule-labels';

export const ORDERING_LABELS: Record<TargetPolicy['ordering'], { label: string; description: string }> = {
  none: {
    label: 'None',
    description: 'Each event is sent as soon as possible. A failed delivery does not block others.',
  },
  entity: {
    label: 'By entity',
    description:
      'Events of the same deal, contact or task are sent in order. Different entities are independent.',
  },
  strict: {
    label: 'Strict',
    description: 'All events are sent in order. A failed delivery blocks everything after it.',
  },
};

/** What happens to the deliveries behind a failed one. */
export const ON_DEAD_LABELS: Record<TargetPolicy['on_dead'], { label: string; description: string }> = {
  continue: {
    label: 'Continue',
    description: 'The next event is sent, although the receiver never got the failed one.',
  },
  stop: {
    label: 'Stop',
    description: 'Later events are queued until the failed delivery is retried or discarded.',
  },
};

/** `2xx, 304`. */
export const formatStatuses = (statuses: readonly StatusRange[]): string => statuses.join(', ');

const ALL_STATUSES = ['2xx', '3xx', '4xx', '5xx'];

/** Whether every failed response is retried. */
export const retriesAllStatuses = ({ statuses }: TargetPolicy['retry_on']): boolean =>
  ALL_STATUSES.every((all) => statuses.some((status) => status === all));

/** `20 per second` */
const describeRate = (rate: TargetPolicy['rate']): string =>
  rate === null ? 'no rate limit' : `${formatCount(rate.limit)} per ${rate.per}`;

/** The delivery limits in one line. */
export const describeLimits = ({ timeout_ms, concurrency, rate, success }: TargetPolicy): string =>
  [
    `${formatDuration(timeout_ms / 1_000)} timeout`,
    `concurrency ${concurrency}`,
    describeRate(rate),
    `success on ${formatStatuses(success)}`,
  ].join(', ');

/** The delivery order, and what a failed delivery does to it. */
export function describeOrdering({ ordering, on_dead }: TargetPolicy): string {
  if (ordering === 'none') return 'None';
  return `${ORDERING_LABELS[ordering].label}; ${on_dead === 'stop' ? 'stops' : 'continues'} after a failed delivery`;
}

/** The retry schedule in one line, with its exceptions. */
export const describeRetries = (policy: TargetPolicy): string =>
  [describeAttempts(policy), ...describeRetryExceptions(policy)].join(', ');

/** Which failures are not retried; empty if all are. */
export function describeRetryExceptions({ retry_on }: TargetPolicy): string[] {
  const parts: string[] = [];
  if (!retriesAllStatuses(retry_on)) {
    const some = formatStatuses(retry_on.statuses);
    parts.push(some === '' ? 'only without a response' : `only after ${some}`);
  }
  if (!retry_on.network) parts.push('not after network errors');
  return parts;
}

/** When the breaker opens and how it probes. */
export function describeBreaker({ breaker }: TargetPolicy): string {
  if (breaker === null) return 'Off, retries are never suspended';
  const { failures, first_probe_s, cap_s } = breaker;
  return `Opens after ${formatNoun(failures, 'failure')} in a row; probes after ${formatDuration(first_probe_s)}, backing off to every ${formatDuration(cap_s)}`;
}

/** How duplicates are handled. */
export const DUPLICATES_LABELS: Record<TargetPolicy['duplicates'], { label: string; description: string }> = {
  hold: {
    label: 'Held back',
    description: 'A notification identical to an earlier one is recorded but not sent.',
  },
  deliver: {
    label: 'Delivered',
    description: 'It is sent again, with the same webhook-id as the original.',
  },
};

export const SYNTHETIC_LABELS: Record<TargetPolicy['synthetic'], { label: string; description: string }> = {
  deliver: {
    label: 'Delivered',
    description:
      'Marked by the header switchboard-synthetic and in the payload, and without a signature of Co-Pilot.',
  },
  skip: {
    label: 'Left out',
    description: 'The target gets only what Co-Pilot has sent.',
  },
};

/** The names of the extra headers. */
export function describeHeaders(headers: readonly { name: string; secret: boolean }[]): string {
  if (headers.length === 0) return 'None';
  return headers.map(({ name, secret }) => (secret ? `${name} (secret)` : name)).join(', ');
}

/** How the target is verified, and whether a client certificate is used. */
export function describeTls(tls: Pick<NonNullable<Target['tls']>, 'ca' | 'cert' | 'verify'> | null): string {
  const parts = [
    tls !== null && !tls.verify && 'Not verified',
    tls !== null && tls.ca !== null && 'Custom certificate authority',
    tls !== null && tls.cert !== null && 'Client certificate',
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Public certificate authorities' : parts.join(', ');
}
