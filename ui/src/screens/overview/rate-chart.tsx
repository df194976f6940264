import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatClock, formatDay } from '../../format/exact';
import { getTimeZone } from '../../format/time-zone';
import { drawNoData } from './draw-no-data';
import { drawOutageBands, drawOutageLabels } from './draw-outages';
import { measurableSteps, type RateUnit, type TrafficLine, type TrafficView } from './traffic-view';

interface RateChartProps {
  view: TrafficView;
  unit: RateUnit;
  /** Text alternative. */
  label: string;
  /** Called with the start of the step under the pointer. */
  onPoint: (at: number | null) => void;
}

const LINES: readonly { of: TrafficLine; colour: string; fill: string | null }[] = [
  { of: 'events', colour: '--sb-accent', fill: '--sb-accent-soft' },
  { of: 'delivered', colour: '--sb-ok', fill: null },
  { of: 'failed', colour: '--sb-bad', fill: null },
];
const FONT = "11px 'Inter Variable', 'Inter Fallback', sans-serif";
const DAY_S = 86_400;
/** The steps of the chart of a day; it is shorter than a day by up to one step. */
const DAY_STEP_S = 600;

/** One value per step; null, not 0, while Switchboard was not running. */
function toColumns(view: TrafficView, unit: RateUnit): uPlot.AlignedData {
  const { since, until, stepSeconds } = view;
  const byTime = new Map(measurableSteps(view).map((one) => [one.at, one]));
  const count = Math.max(0, Math.floor((until - since) / stepSeconds) + 1);
  const at = Array.from({ length: count }, (_, i) => since + i * stepSeconds);
  const rate = (line: TrafficLine) =>
    at.map((start) => {
      const found = byTime.get(start);
      return found === undefined ? null : (found[line] / found.seconds) * unit.seconds;
    });
  return [at, ...LINES.map(({ of }) => rate(of))];
}

/** The largest round number (1, 2 or 5 times a power of ten) up to `max`. */
function roundDown(max: number): number {
  const size = 10 ** Math.floor(Math.log10(max));
  return size * (max >= 5 * size ? 5 : max >= 2 * size ? 2 : 1);
}

/** The indexes of points without a neighbour, to which no line is drawn. */
function isolatedPoints(chart: uPlot, line: number): number[] {
  const values = chart.data[line] ?? [];
  return [...values.keys()].filter((i) => {
    const isMissing = (at: number) => (values[at] ?? null) === null;
    const isIsolated = !isMissing(i) && isMissing(i - 1) && isMissing(i + 1);
    // Zeros of all three lines coincide, so only the first line marks them.
    return isIsolated && (values[i] !== 0 || line === 1);
  });
}

/** The time of day; for midnight in a chart of about a day or more, the date. */
function tickLabel(seconds: number, shownS: number, hasSeconds: boolean): string {
  const at = new Date(seconds * 1000).toISOString();
  if (hasSeconds) return formatClock(at);
  const clock = formatClock(at).slice(0, 5);
  return shownS >= DAY_S - DAY_STEP_S && clock === '00:00' ? formatDay(at).slice(5) : clock;
}

function optionsOf(
  { clientWidth: width, clientHeight: height }: HTMLElement,
  latestProps: { current: RateChartProps },
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const text = { font: FONT, stroke: colour('--sb-muted'), ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    tzDate: (seconds) =>
      getTimeZone() === 'utc' ? uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { range: () => [latestProps.current.view.since, latestProps.current.view.until] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.15)] },
    },
    axes: [
      {
        ...text,
        size: 24,
        gap: 8,
        space: 72,
        grid: { show: false },
        values: (_, seconds) => {
          const { since, until } = latestProps.current.view;
          const hasSeconds = seconds.some((at) => at % 60 !== 0);
          return seconds.map((at) => tickLabel(at, until - since, hasSeconds));
        },
      },
      {
        ...text,
        size: 44,
        gap: 6,
        splits: (_, __, ___, max) => {
          const interval = roundDown(max / 2);
          return Array.from({ length: Math.floor(max / interval) + 1 }, (_unused, i) => i * interval);
        },
        grid: { stroke: colour('--sb-line'), width: 1 },
        values: (_, rates) =>
          rates.map((rate) =>
            rate === 0 ? '0' : `${Number(rate.toFixed(3))}/${latestProps.current.unit.name}`,
          ),
      },
    ],
    series: [
      {},
      ...LINES.map((line) => ({
        // Without failures the lines coincide; filling the area below one keeps both visible.
        ...(line.fill !== null && { fill: colour(line.fill) }),
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: true, size: 4, width: 0, fill: colour(line.colour), filter: isolatedPoints },
      })),
    ],
    hooks: {
      drawClear: [
        (chart) => drawNoData(chart, colour('--sb-line')),
        (chart) => drawOutageBands(chart, latestProps.current.view, colour),
      ],
      draw: [(chart) => drawOutageLabels(chart, latestProps.current.view, { colour, font: FONT })],
      setCursor: [({ cursor, data }) => latestProps.current.onPoint(data[0][cursor.idx ?? -1] ?? null)],
    },
  };
}

/**
 * The chart, loaded on demand. A canvas does not follow CSS variables, so the caller passes the theme as key to
 * remount it.
 */
export function RateChart(props: RateChartProps) {
  const { view, unit, label } = props;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const latestProps = useRef(props);
  useEffect(() => {
    latestProps.current = props;
  });
  useEffect(() => {
    chart.current?.setData(toColumns(view, unit));
  }, [view, unit]);

  useEffect(() => {
    const { current: element } = frame;
    if (element === null) return undefined;
    const { view: first, unit: firstUnit } = latestProps.current;
    const plot = new uPlot(optionsOf(element, latestProps), toColumns(first, firstUnit), element);
    chart.current = plot;
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, []);

  return <figure ref={frame} aria-label={label} style={{ height: '100%', margin: 0, overflow: 'hidden' }} />;
}
