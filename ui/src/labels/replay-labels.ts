import type { OriginalOutcome, ReplayPlan, ReplayRate, ReplayState } from '../../../src/contract/replay';
import { formatExact } from '../format/exact';
import { formatCount } from '../format/number';
import type { StateWords } from './state-label';

/** The states of a replay. */
export const REPLAY_WORDS: Record<ReplayState, StateWords> = {
  running: { tone: 'busy', word: 'Running', meaning: 'Deliveries are being made' },
  paused: { tone: 'warn', word: 'Paused', meaning: 'Nothing is added; what is open goes on' },
  cancelling: { tone: 'idle', word: 'Cancelling', meaning: 'What is open is being cancelled' },
  cancelled: { tone: 'idle', word: 'Cancelled', meaning: 'Ended before its end' },
  done: { tone: 'ok', word: 'Done', meaning: 'Every delivery has its outcome' },
};

/** What became of the live deliveries, for choosing by it. */
export const OUTCOME_WORDS: Record<OriginalOutcome, { word: string; meaning: string }> = {
  dead: { word: 'Dead', meaning: 'given up after the last try' },
  succeeded: { word: 'Succeeded', meaning: 'the target has it already' },
  open: { word: 'Open', meaning: 'not through yet' },
  cancelled: { word: 'Cancelled', meaning: 'discarded, or cancelled with its target' },
};

/** The outcomes in the order in which they are asked for most. */
export const OUTCOMES: readonly OriginalOutcome[] = ['dead', 'succeeded', 'open', 'cancelled'];

/** How fast, in words. */
export function rateInWords(rate: ReplayRate): string {
  if (rate === 'as_fast_as_allowed') return 'as fast as the targets allow';
  if ('per_second' in rate)
    return `at most ${formatLittle(rate.per_second)} ${rate.per_second === 1 ? 'event' : 'events'} a second`;
  return rate.pace === 1 ? 'at the original pace' : `at ${formatLittle(rate.pace)} times the original pace`;
}

const formatLittle = (value: number) => (Number.isInteger(value) ? formatCount(value) : String(value));

/** What narrows a replay, as it came from the API or as it is asked for. */
type Narrowing = Omit<ReplayPlan['filter'], 'until_seq'>;

/** Which events, in words, the kind first: `deal.*`, then what narrows it. */
export function filterInWords(filter: Narrowing, nameOf: (target: string) => string): string[] {
  const words = [filter.types?.join(', ') ?? 'All of Co-Pilot’s events'];
  if (filter.entity !== undefined) words.push(`of ${filter.entity}`);
  if (filter.q !== undefined) words.push(`with “${filter.q}”`);
  if (filter.since !== undefined) words.push(`from ${shortExact(filter.since)}`);
  if (filter.until !== undefined) words.push(`before ${shortExact(filter.until)}`);
  if (filter.target !== undefined) words.push(`that went to ${nameOf(filter.target)}`);
  if (filter.outcomes !== undefined) {
    const outcomes = filter.outcomes.map((outcome) => OUTCOME_WORDS[outcome].word.toLowerCase());
    words.push(`whose live delivery is ${outcomes.join(' or ')}`);
  }
  return words;
}

/** To the second, without the zone: both ends of a span stand in the reader's own. */
const shortExact = (at: string) => formatExact(at).slice(0, 19);
