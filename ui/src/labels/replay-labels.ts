import type { OriginalOutcome, ReplaySummary, ReplayRate, ReplayState } from '@contract/replay';
import { formatExact } from '../format/exact';
import { formatCount, formatNoun } from '../format/number';
import type { StateLabel } from './state-label';

/** The states of a replay. */
export const REPLAY_LABELS: Record<ReplayState, StateLabel> = {
  running: { tone: 'busy', label: 'Running', description: 'Deliveries are being created' },
  paused: {
    tone: 'warn',
    label: 'Paused',
    description: 'No new deliveries are created; queued ones are still sent',
  },
  cancelling: { tone: 'idle', label: 'Cancelling', description: 'Queued deliveries are being cancelled' },
  cancelled: { tone: 'idle', label: 'Cancelled', description: 'Stopped before it finished' },
  done: { tone: 'ok', label: 'Done', description: 'All deliveries have finished' },
};

/** The outcomes of the latest deliveries, as a filter. `at` goes before the name of a target. */
export const OUTCOME_LABELS: Record<OriginalOutcome, { label: string; at: string }> = {
  dead: { label: 'Failed: it is a dead letter', at: 'failed at' },
  succeeded: { label: 'Delivered', at: 'were delivered to' },
  open: { label: 'Queued, in flight or being retried', at: 'are queued for' },
  cancelled: { label: 'Cancelled: discarded, or the target was deleted', at: 'were cancelled for' },
};

/** The outcomes, most used first. */
export const OUTCOMES: readonly OriginalOutcome[] = ['dead', 'succeeded', 'open', 'cancelled'];

/** The speed of a replay. */
export function describeReplayRate(rate: ReplayRate): string {
  if (rate === 'as_fast_as_allowed') return 'as fast as targets respond';
  if ('per_second' in rate)
    return `at most ${formatDecimal(rate.per_second)} ${rate.per_second === 1 ? 'event' : 'events'} per second`;
  return rate.pace === 1
    ? 'at the original speed'
    : `at ${formatDecimal(rate.pace)} times the original speed`;
}

const formatDecimal = (value: number) => (Number.isInteger(value) ? formatCount(value) : String(value));

/** A replay filter, of an existing replay or a planned one. */
type Filter = Omit<ReplaySummary['filter'], 'until_seq'>;

/** A replay filter as a list of phrases, event types first. */
export function describeFilter(filter: Filter, nameOf: (target: string) => string): string[] {
  const isNarrowed = Object.values(filter).some((condition) => condition !== undefined);
  if (filter.seqs !== undefined) return [formatNoun(filter.seqs.length, 'selected event')];
  const parts = [filter.types?.join(', ') ?? (isNarrowed ? 'Events' : 'All Co-Pilot events')];
  if (filter.outcomes !== undefined) {
    const outcomes = filter.outcomes.map((outcome) => OUTCOME_LABELS[outcome].at).join(' or ');
    parts.push(`that ${outcomes} ${filter.target === undefined ? 'a target' : nameOf(filter.target)}`);
  } else if (filter.target !== undefined) parts.push(`sent to ${nameOf(filter.target)}`);
  if (filter.missed_by !== undefined) parts.push(`never sent to ${nameOf(filter.missed_by)}`);
  if (filter.entity !== undefined) parts.push(`of ${filter.entity}`);
  if (filter.q !== undefined) parts.push(`with “${filter.q}”`);
  if (filter.payload !== undefined) parts.push(`where ${JSON.stringify(filter.payload)}`);
  if (filter.since !== undefined) parts.push(`from ${formatRound(filter.since)}`);
  if (filter.until !== undefined) parts.push(`until ${formatRound(filter.until)}`);
  return parts;
}

/** Without the time zone, and as short as it is round: a day, a minute or a second. */
const formatRound = (at: string) =>
  formatExact(at)
    .slice(0, 19)
    .replace(/( 00:00)?:00$/, '');

/** Where a replay sends its events, of an existing replay or a planned one. */
export const describeDestination = (
  { target_ids: ids }: { target_ids?: readonly string[] | null | undefined },
  nameOf: (target: string) => string,
): string => ids?.map(nameOf).join(', ') ?? 'original targets';

/** A replay in a few words: which events it sends again. */
export function replayName(replay: ReplaySummary, nameOf: (target: string) => string): string {
  if (replay.event_id !== null) return 'One event';
  return describeFilter(replay.filter, nameOf).join(' ');
}
