import { useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTimeZone } from '../../format/time-zone';
import type { RateChartProps } from './rate-chart';

const RateChart = lazy(async () => ({ default: (await import('./rate-chart')).RateChart }));

/** Lines over time, loaded on demand and drawn again in another theme or time zone. */
export function LazyRateChart(props: RateChartProps) {
  return (
    <Suspense>
      <RateChart key={`${useComputedColorScheme()} ${useTimeZone()}`} {...props} />
    </Suspense>
  );
}
