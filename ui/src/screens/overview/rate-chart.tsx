import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { StatsPoint } from '../../../../src/contract/stats';
import { formatClock } from '../../text/format-exact';

interface RateChartProps {
  series: readonly StatsPoint[];
  step: number;
  /** Tells which point the pointer is at. */
  point: (index: number | null) => void;
}

const LINES = [
  { of: 'events', colour: '--sb-accent', fill: '--sb-accent-soft' },
  { of: 'delivered', colour: '--sb-ok', fill: null },
  { of: 'failed', colour: '--sb-bad', fill: null },
] as const;

function toColumns(series: readonly StatsPoint[], step: number): uPlot.AlignedData {
  // The last step is still being counted; drawn, it would look like a fall.
  const whole = series.slice(0, -1);
  const at = whole.map((point) => new Date(point.at).getTime() / 1000);
  return [at, ...LINES.map(({ of }) => whole.map((point) => point[of] / step))];
}

/** The greatest round number (1, 2 or 5 and zeros) that still fits on the scale. */
function roundBelow(most: number): number {
  const size = 10 ** Math.floor(Math.log10(most));
  return size * (most >= 5 * size ? 5 : most >= 2 * size ? 2 : 1);
}

function optionsOf(width: number, height: number, point: RateChartProps['point']): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const text = { font: '11px system-ui, sans-serif', stroke: colour('--sb-muted'), ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...text,
        size: 18,
        gap: 2,
        space: 96,
        grid: { show: false },
        values: (_, seconds) =>
          seconds.map((at) => formatClock(new Date(at * 1000).toISOString()).slice(0, 5)),
      },
      {
        ...text,
        size: 38,
        gap: 4,
        splits: (_, __, ___, most) => [0, roundBelow(most)],
        grid: { stroke: colour('--sb-line'), width: 1 },
        values: (_, rates) => rates.map(String),
      },
    ],
    series: [
      {},
      ...LINES.map((line) => ({
        // Where all is well the lines lie upon each other; the ground below one of them keeps both in sight.
        ...(line.fill !== null && { fill: colour(line.fill) }),
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  };
}

/**
 * The lines themselves; loaded when first wanted. A canvas knows no variables, so another theme wants another chart: the
 * caller gives it the theme as its key.
 */
export function RateChart({ series, step, point }: RateChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const newest = useRef({ series, step, point });
  useEffect(() => {
    newest.current = { series, step, point };
    chart.current?.setData(toColumns(series, step));
  }, [series, step, point]);

  useEffect(() => {
    const { current: element } = frame;
    if (element === null) return undefined;
    const { series: points, step: seconds } = newest.current;
    const options = optionsOf(element.clientWidth, element.clientHeight, (index) =>
      newest.current.point(index),
    );
    const drawn = new uPlot(options, toColumns(points, seconds), element);
    chart.current = drawn;
    const watcher = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      drawn.destroy();
    };
  }, []);

  return (
    <figure
      ref={frame}
      aria-label="Events, deliveries and failed attempts a second over time; the newest values stand beside it."
      style={{ height: '100%', margin: 0, overflow: 'hidden' }}
    />
  );
}
