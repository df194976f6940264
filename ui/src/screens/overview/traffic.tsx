import { useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Stats, StatsPoint } from '../../../../src/contract/stats';
import { formatClock } from '../../text/format-exact';
import { formatRate } from '../../text/format-number';
import { formatSpan } from '../../text/format-relative';
import classes from './traffic.module.css';

const RateChart = lazy(async () => ({ default: (await import('./rate-chart')).RateChart }));

/** The step that is under way is not counted out yet; the one before it is. */
const lastWhole = (series: readonly StatsPoint[]): StatsPoint | undefined => series.at(-2) ?? series.at(-1);

/** Events and deliveries a second: now, or at the moment that is pointed at. */
export function Traffic({ stats }: { stats: Stats | undefined }) {
  const scheme = useComputedColorScheme();
  const [pointed, setPointed] = useState<number | null>(null);
  const series = stats?.series ?? [];
  const step = stats?.step_seconds ?? 1;
  const point = (pointed === null ? undefined : series[pointed]) ?? lastWhole(series);
  const rate = (count: number | undefined) => `${formatRate((count ?? 0) / step)}/s`;
  const span = formatSpan(series.length * step * 1000);
  return (
    <div className={classes.traffic}>
      <div className={classes.legend}>
        <h2 className={classes.name}>
          {pointed === null || point === undefined
            ? `Traffic, last ${span}`
            : `Traffic at ${formatClock(point.at)}`}
        </h2>
        <span data-line="events">Events {rate(point?.events)}</span>
        <span data-line="delivered">Delivered {rate(point?.delivered)}</span>
        <span data-line="failed">Failed {rate(point?.failed)}</span>
      </div>
      <div className={classes.chart}>
        <Suspense>
          {series.length > 1 && <RateChart key={scheme} series={series} step={step} point={setPointed} />}
        </Suspense>
      </div>
    </div>
  );
}
