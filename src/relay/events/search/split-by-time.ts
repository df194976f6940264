import type { EventFilters } from '../../../contract/event';
import type { Reader, RequestSignal } from '../../database/reading/reader';
import type { SeqRange } from '../../database/reading/walk-seqs';

/** Receipt and commit may be this far apart: a body may arrive slowly. */
const SLACK_MS = 60_000;

interface SplitRange {
  within: SeqRange;
  outside: SeqRange[];
}

/**
 * Splits a range into the events that were probably received between two times, and the others. `seq` follows the
 * time of receipt unless the clock was set back, so this is only about what to examine first.
 */
export async function splitByTime(
  { since, until }: Pick<EventFilters, 'since' | 'until'>,
  range: SeqRange,
  reader: Reader,
  signal?: RequestSignal,
): Promise<SplitRange> {
  const first =
    since === undefined ? range.after + 1 : await firstSince(since - SLACK_MS, range, reader, signal);
  const end = until === undefined ? range.before : await firstSince(until + SLACK_MS, range, reader, signal);
  const within = { after: first - 1, before: Math.max(first, end) };
  const outside = [
    { after: within.before - 1, before: range.before },
    { after: range.after, before: first },
  ].filter(({ after, before }) => before - after > 1);
  return { within, outside };
}

/** The first event of a range that was received at or after a time, or its end, by bisection. */
async function firstSince(
  time: number,
  range: SeqRange,
  reader: Reader,
  signal?: RequestSignal,
): Promise<number> {
  let [low, high] = [range.after + 1, range.before];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // Retention leaves gaps.
    const [event] = await reader.all<{ seq: number; at: number }>(
      [
        'SELECT seq, received_at AS at FROM events WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT 1',
        [middle, high],
      ],
      signal,
    );
    if (event === undefined || event.at >= time) high = middle;
    else low = event.seq + 1;
  }
  return low;
}
