import { useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { RateChartProps } from './rate-chart';

const RateChart = lazy(async () => ({ default: (await import('./rate-chart')).RateChart }));

/** Lines over time, loaded on demand and drawn again in another theme. */
export function LazyRateChart(props: RateChartProps) {
  return (
    <Suspense>
      <RateChart key={useComputedColorScheme()} {...props} />
    </Suspense>
  );
}
