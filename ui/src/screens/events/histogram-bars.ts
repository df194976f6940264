import type { EventHistogram, EventStatus } from '@contract/event';
import { formatClock, formatDay } from '../../format/exact';

/** The statuses by how they are coloured, from the bottom of a bar to its top. */
export const OUTCOMES = ['delivered', 'none', 'queued', 'retrying', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = {
  delivered: 'delivered',
  none: 'without delivery',
  queued: 'queued',
  retrying: 'being retried',
  failed: 'failed',
};

const OUTCOME_OF: Readonly<Record<EventStatus, Outcome>> = {
  succeeded: 'delivered',
  unmatched: 'none',
  cancelled: 'none',
  pending: 'queued',
  retrying: 'retrying',
  dead: 'failed',
};

/** The events of one bucket. */
export interface Bar {
  since: string;
  /** The start of the next bucket. */
  until: string;
  counts: Record<Outcome, number>;
  total: number;
}

/** The bars of a histogram, oldest first. */
export const barsOf = ({ buckets, bucket_s: width }: EventHistogram): Bar[] =>
  buckets.map(({ at, counts }) => {
    const byOutcome = { delivered: 0, none: 0, queued: 0, retrying: 0, failed: 0 };
    for (const [status, count] of Object.entries(counts))
      byOutcome[OUTCOME_OF[status as EventStatus]] += count;
    return {
      since: at,
      until: new Date(Date.parse(at) + width * 1_000).toISOString(),
      counts: byOutcome,
      total: Object.values(byOutcome).reduce((sum, count) => sum + count, 0),
    };
  });

/** The times at both ends, without seconds if neither has any. */
export function endsOf(bars: readonly Bar[]): [since: string, until: string] {
  const ends = [bars[0]!.since, bars.at(-1)!.until] as const;
  const length = ends.every((at) => formatClock(at).endsWith(':00')) ? 'HH:mm'.length : 'HH:mm:ss'.length;
  const format = (at: string) => `${formatDay(at)} ${formatClock(at).slice(0, length)}`;
  return [format(ends[0]), format(ends[1])];
}
