import type { OriginalOutcome, ReplayPlan, ReplayRate, ReplayState } from '../../../src/contract/replay';
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

/** What became of the live deliveries, for choosing by it. */
export const OUTCOME_LABELS: Record<OriginalOutcome, { label: string; description: string }> = {
  dead: { label: 'Failed', description: 'failed permanently' },
  succeeded: { label: 'Delivered', description: 'the target already has it' },
  open: { label: 'In progress', description: 'queued, in flight or being retried' },
  cancelled: { label: 'Cancelled', description: 'discarded, or cancelled when its target was deleted' },
};

/** The outcomes in the order in which they are asked for most. */
export const OUTCOMES: readonly OriginalOutcome[] = ['dead', 'succeeded', 'open', 'cancelled'];

/** How fast, in words. */
export function describeReplayRate(rate: ReplayRate): string {
  if (rate === 'as_fast_as_allowed') return 'as fast as targets respond';
  if ('per_second' in rate)
    return `at most ${formatDecimal(rate.per_second)} ${rate.per_second === 1 ? 'event' : 'events'} per second`;
  return rate.pace === 1
    ? 'at the original speed'
    : `at ${formatDecimal(rate.pace)} times the original speed`;
}

const formatDecimal = (value: number) => (Number.isInteger(value) ? formatCount(value) : String(value));

/** What narrows a replay, as it came from the API or as it is asked for. */
type Filter = Omit<ReplayPlan['filter'], 'until_seq'>;

/** Which events, in words, the kind first: `deal.*`, then what narrows it. */
export function describeFilter(filter: Filter, nameOf: (target: string) => string): string[] {
  const parts = [filter.types?.join(', ') ?? 'All Co-Pilot events'];
  if (filter.entity !== undefined) parts.push(`of ${filter.entity}`);
  if (filter.q !== undefined) parts.push(`with “${filter.q}”`);
  if (filter.since !== undefined) parts.push(`from ${formatToSecond(filter.since)}`);
  if (filter.until !== undefined) parts.push(`until ${formatToSecond(filter.until)}`);
  if (filter.target !== undefined) parts.push(`originally sent to ${nameOf(filter.target)}`);
  if (filter.outcomes !== undefined) {
    const outcomes = filter.outcomes.map((outcome) => OUTCOME_LABELS[outcome].label.toLowerCase());
    parts.push(`with original delivery ${outcomes.join(' or ')}`);
  }
  return parts;
}

/** To the second, without the zone: both ends of a span stand in the reader's own. */
const formatToSecond = (at: string) => formatExact(at).slice(0, 19);
