import type { OriginalOutcome, ReplaySummary, ReplayRate, ReplayState } from '@contract/replay';
import { formatExact } from '../format/exact';
import { formatCount } from '../format/number';
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

/** The outcomes of the original deliveries, as a filter. */
export const OUTCOME_LABELS: Record<OriginalOutcome, { label: string; description: string }> = {
  dead: { label: 'Failed', description: 'dead letter' },
  succeeded: { label: 'Delivered', description: 'the target already has it' },
  open: { label: 'In progress', description: 'queued, in flight or being retried' },
  cancelled: { label: 'Cancelled', description: 'discarded, or cancelled when its target was deleted' },
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
  const parts = [filter.types?.join(', ') ?? 'All Co-Pilot events'];
  if (filter.entity !== undefined) parts.push(`of ${filter.entity}`);
  if (filter.q !== undefined) parts.push(`with “${filter.q}”`);
  if (filter.payload !== undefined) parts.push(`where ${JSON.stringify(filter.payload)}`);
  if (filter.since !== undefined) parts.push(`from ${formatToSecond(filter.since)}`);
  if (filter.until !== undefined) parts.push(`until ${formatToSecond(filter.until)}`);
  if (filter.target !== undefined) parts.push(`originally sent to ${nameOf(filter.target)}`);
  if (filter.outcomes !== undefined) {
    const outcomes = filter.outcomes.map((outcome) => OUTCOME_LABELS[outcome].label.toLowerCase());
    parts.push(`with original delivery ${outcomes.join(' or ')}`);
  }
  return parts;
}

/** To the second, without the time zone. */
const formatToSecond = (at: string) => formatExact(at).slice(0, 19);

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
