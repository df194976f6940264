import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventHistogram } from '@contract/event';
import { eventHistogramQuery, type EventSearch } from '../../api/events';
import { formatDay } from '../../format/exact';
import { formatCount, formatNoun } from '../../format/number';
import type { TimeRange } from '../../format/time-range';
import { barsOf, endsOf, OUTCOME_NAMES, OUTCOMES, type Bar } from './histogram-bars';
import classes from './histogram.module.css';
import { useBrush } from './use-brush';

interface HistogramProps {
  filter: EventSearch;
  queriedAt: number;
  /** Whether the results are there: they are read first. */
  enabled: boolean;
  /** Narrows the search to a range of time. */
  narrow: (range: TimeRange) => void;
}

/** How many events match, and when they were received, by outcome. A part of it can be selected. */
export function Histogram({ filter, queriedAt, enabled, narrow }: HistogramProps) {
  const { data, isPlaceholderData, isError } = useQuery({
    ...eventHistogramQuery(filter, queriedAt),
    enabled,
  });
  return (
    <section
      className={classes.histogram}
      aria-label="Matching events by time"
      aria-busy={isPlaceholderData || undefined}
    >
      <p className={classes.count}>
        {data !== undefined && !isError && (
          <>
            <strong title={data.estimated ? 'Estimated from a sample' : undefined}>
              {data.estimated && '≈'}
              {formatCount(data.count)}
            </strong>{' '}
            {data.count === 1 ? 'event' : 'events'}
          </>
        )}
      </p>
      {data === undefined && !isError && <div className={classes.skeleton} />}
      {data !== undefined && data.count > 0 && (
        <Strip key={data.buckets[0]?.at} histogram={data} narrow={narrow} />
      )}
    </section>
  );
}

interface StripProps {
  histogram: EventHistogram;
  narrow: HistogramProps['narrow'];
}

/** The bars. Arrow keys move over them, with Shift they select, Enter applies; so does dragging. */
function Strip({ histogram, narrow }: StripProps) {
  const bars = barsOf(histogram);
  const highest = Math.max(...bars.map(({ total }) => total), 1);
  const { cursor, selected, onKeyDown, pointerHandlers } = useBrush(bars.length, (first, last) =>
    narrow({ since: bars[first]!.since, until: bars[last]!.until }),
  );
  const [pointed, setPointed] = useState<number | null>(null);
  const [start, end] = endsOf(bars);
  const startDay = `${formatDay(bars[0]!.since)} `;
  const [first, last] = selected ?? [pointed ?? cursor, pointed ?? cursor];
  return (
    <div className={classes.chart}>
      <fieldset
        aria-label="Time of receipt: Shift and arrow keys select a range, Enter applies it"
        className={classes.bars}
        onPointerLeave={() => setPointed(null)}
        {...pointerHandlers}
      >
        {bars.map((bar, index) => (
          <button
            key={bar.since}
            type="button"
            className={classes.slot}
            tabIndex={index === (cursor ?? bars.length - 1) ? 0 : -1}
            aria-label={describe([bar])}
            aria-pressed={selected !== null && index >= selected[0] && index <= selected[1]}
            onPointerEnter={() => setPointed(index)}
            onKeyDown={(press) => onKeyDown(press, index)}
          >
            {OUTCOMES.filter((outcome) => bar.counts[outcome] > 0).map((outcome) => (
              <span
                key={outcome}
                data-outcome={outcome}
                style={{ height: `${(bar.counts[outcome] / highest) * 100}%` }}
              />
            ))}
          </button>
        ))}
      </fieldset>
      <p className={classes.axis} aria-hidden>
        <span>{start}</span>
        <span className={classes.shown}>
          {first !== null && last !== null && describe(bars.slice(first, last + 1))}
        </span>
        {/* Without the date if that is the same: phones have no room for two. */}
        <span>{end.startsWith(startDay) ? end.slice(startDay.length) : end}</span>
      </p>
    </div>
  );
}

/** `2026-11-22 23:00 – 2026-11-22 23:15: 12 events, 3 failed`. */
function describe(bars: readonly Bar[]): string {
  const sum = (count: (bar: Bar) => number) => bars.reduce((total, bar) => total + count(bar), 0);
  const parts = OUTCOMES.map((outcome) => [outcome, sum((bar) => bar.counts[outcome])] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${formatCount(count)} ${OUTCOME_NAMES[outcome]}`);
  return [
    `${endsOf(bars).join(' – ')}: ${formatNoun(
      sum(({ total }) => total),
      'event',
    )}`,
    ...parts,
  ].join(', ');
}
