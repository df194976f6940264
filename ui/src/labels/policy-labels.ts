import type { Target } from '../../../src/contract/target';
import type { StatusRange, TargetPolicy } from '../../../src/contract/target-policy';
import { formatDuration } from '../format/duration';
import { formatCount, formatNoun } from '../format/number';
import { describeAttempts } from './schedule-labels';

/** What the choices of order mean, a sentence each. */
export const ORDERING_LABELS: Record<TargetPolicy['ordering'], { word: string; meaning: string }> = {
  none: {
    word: 'None',
    meaning: 'Each event goes as soon as it can; one that fails holds up nobody.',
  },
  entity: {
    word: 'By entity',
    meaning: 'Events of one deal, contact or task go one after the other; others overtake them.',
  },
  strict: {
    word: 'Strict',
    meaning: 'All events go one after the other; one that fails holds up everything behind it.',
  },
};

/** What becomes of the events behind a dead one. */
export const ON_DEAD_LABELS: Record<TargetPolicy['on_dead'], { word: string; meaning: string }> = {
  go_on: { word: 'Go on', meaning: 'The next one is sent, though the receiver never saw the one before.' },
  stop: {
    word: 'Stop',
    meaning: 'Those behind it wait until somebody retries or discards the dead one.',
  },
};

/** `2xx, 304`. */
export const formatStatuses = (statuses: readonly StatusRange[]): string => statuses.join(', ');

const ALL_STATUSES = ['2xx', '3xx', '4xx', '5xx'];

/** Whether every answer but success is tried again. */
export const retriesAllStatuses = ({ statuses }: TargetPolicy['retry_on']): boolean =>
  ALL_STATUSES.every((all) => statuses.some((status) => status === all));

/** `20 a second`, or that nothing bounds it. */
const describeRate = (rate: TargetPolicy['rate']): string =>
  rate === null ? 'no rate limit' : `${formatCount(rate.limit)} a ${rate.per}`;

/** How requests are made, as a heading tells it. */
export const describePace = ({ timeout_ms, concurrency, rate, success }: TargetPolicy): string =>
  [
    `${formatDuration(timeout_ms / 1_000)} to answer`,
    `${concurrency} at once`,
    describeRate(rate),
    `${formatStatuses(success)} is success`,
  ].join(', ');

/** Which order is kept, and what a death does to it. */
export function describeOrdering({ ordering, on_dead }: TargetPolicy): string {
  if (ordering === 'none') return 'None';
  return `${ORDERING_LABELS[ordering].word}; behind a dead one ${on_dead === 'stop' ? 'it stops' : 'it goes on'}`;
}

/** How often and for how long, and what is not tried again. */
export const describeRetries = (policy: TargetPolicy): string =>
  [describeAttempts(policy), ...describeRetryExceptions(policy)].join(', ');

/** What is not tried again; nothing where everything is. */
export function describeRetryExceptions({ retry_on }: TargetPolicy): string[] {
  const parts: string[] = [];
  if (!retriesAllStatuses(retry_on)) {
    const some = formatStatuses(retry_on.statuses);
    parts.push(some === '' ? 'after no answer that came' : `after ${some} only`);
  }
  if (!retry_on.network) parts.push('not where there was no answer');
  return parts;
}

/** When the breaker opens and how it probes. */
export function describeBreaker({ breaker }: TargetPolicy): string {
  if (breaker === null) return 'None: it is tried on and on';
  const { failures, first_probe_s, cap_s } = breaker;
  return `Opens after ${formatNoun(failures, 'failure')} in a row, probes after ${formatDuration(first_probe_s)} up to every ${formatDuration(cap_s)}`;
}

/** What becomes of a suspected duplicate. */
export const DUPLICATES_LABELS: Record<TargetPolicy['duplicates'], { word: string; meaning: string }> = {
  hold: {
    word: 'Held back',
    meaning: 'A notification with the very same bytes as an earlier one is shown beside it, not sent.',
  },
  deliver: {
    word: 'Delivered as they come',
    meaning: 'It is sent again, as Co-Pilot sent it again, with the id of the first.',
  },
};

/** Which headers requests carry, by name. */
export function describeHeaders(headers: readonly { name: string; secret: boolean }[]): string {
  if (headers.length === 0) return 'None of your own';
  return headers.map(({ name, secret }) => (secret ? `${name} (secret)` : name)).join(', ');
}

/** How the target proves who it is, and how we do. */
export function describeTls(tls: Pick<NonNullable<Target['tls']>, 'ca' | 'cert' | 'verify'> | null): string {
  const parts = [
    tls !== null && !tls.verify && 'Not verified',
    tls !== null && tls.ca !== null && 'Own certificate authority',
    tls !== null && tls.cert !== null && 'Client certificate',
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'The usual certificate authorities' : parts.join(', ');
}
