import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Outage } from '@contract/outage';
import { formatClock, formatDay } from '../../format/exact';
import type { TimeRange } from '../../format/time-range';
import { getTimeZone } from '../../format/time-zone';
import { drawMarks } from './draw-marks';
import { drawNoData } from './draw-no-data';
import { drawOutageBands, drawOutageLabels } from './draw-outages';

/** A line of the chart, with one value for each time; null while it is not known. */
export interface ChartLine {
  values: readonly (number | null)[];
  /** The name of a design token, as is `fill`. */
  colour: string;
  fill?: string;
  isDashed?: boolean;
}

export interface RateChartProps {
  /** In seconds since 1970. */
  since: number;
  until: number;
  /** The start of each step. */
  at: readonly number[];
  lines: readonly ChartLine[];
  format: (value: number) => string;
  /** Text alternative. */
  label: string;
  /** Called with the start of the step under the pointer. */
  onPoint?: (at: number | null) => void;
  /** Called with a range that was selected by dragging. */
  onRange: (range: TimeRange) => void;
  outages?: readonly Outage[];
  /** When something was changed; like `at` and `lines`, the same array until it differs. */
  marks?: readonly number[];
}

const FONT = "11px 'Inter Variable', 'Inter Fallback', sans-serif";
/** In pixels: drawn and left out. For who cannot tell the colours apart. */
const DASH = [4, 3];
const DAY_S = 86_400;
/** The steps of the chart of a day; it is shorter than a day by up to one step. */
const DAY_STEP_S = 600;
/** A shorter drag is a click. */
const MIN_DRAG_PX = 8;

const toColumns = ({ at, lines }: Pick<RateChartProps, 'at' | 'lines'>): uPlot.AlignedData => [
  [...at],
  ...lines.map(({ values }) => [...values]),
];

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
    // Zeros of all lines coincide, so only the first line marks them.
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
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
    scales: {
      x: { range: () => [latestProps.current.since, latestProps.current.until] },
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
          const { since, until } = latestProps.current;
          const hasSeconds = seconds.some((at) => at % 60 !== 0);
          return seconds.map((at) => tickLabel(at, until - since, hasSeconds));
        },
      },
      {
        ...text,
        size: 60,
        gap: 6,
        splits: (_, __, ___, max) => {
          const interval = roundDown(max / 2);
          return Array.from({ length: Math.floor(max / interval) + 1 }, (_unused, i) => i * interval);
        },
        grid: { stroke: colour('--sb-line'), width: 1 },
        values: (_, values) => values.map((value) => (value === 0 ? '0' : latestProps.current.format(value))),
      },
    ],
    series: [
      {},
      ...latestProps.current.lines.map((line) => ({
        // Where lines coincide, filling the area below one keeps both visible.
        ...(line.fill !== undefined && { fill: colour(line.fill) }),
        ...(line.isDashed === true && { dash: DASH }),
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: true, size: 4, width: 0, fill: colour(line.colour), filter: isolatedPoints },
      })),
    ],
    hooks: {
      drawClear: [
        (chart) => drawNoData(chart, colour('--sb-line')),
        (chart) => drawOutageBands(chart, latestProps.current, colour),
        (chart) => drawMarks(chart, latestProps.current.marks ?? [], colour('--sb-field')),
      ],
      draw: [(chart) => drawOutageLabels(chart, latestProps.current, { colour, font: FONT })],
      setCursor: [({ cursor, data }) => latestProps.current.onPoint?.(data[0][cursor.idx ?? -1] ?? null)],
      setSelect: [
        (chart) => {
          const { left, width: dragged } = chart.select;
          if (dragged === 0) return;
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (dragged < MIN_DRAG_PX) return;
          const timeAt = (px: number) => new Date(Math.round(chart.posToVal(px, 'x')) * 1000).toISOString();
          latestProps.current.onRange({ since: timeAt(left), until: timeAt(left + dragged) });
        },
      ],
    },
  };
}

/** The chart itself. A canvas does not follow CSS variables, so another theme needs another one. */
export function RateChart(props: RateChartProps) {
  const { at, lines, marks, label } = props;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const latestProps = useRef(props);
  useEffect(() => {
    latestProps.current = props;
  });
  useEffect(() => {
    chart.current?.setData(toColumns({ at, lines }));
  }, [at, lines]);
  // They may be known only after the lines.
  useEffect(() => {
    if (marks !== undefined) chart.current?.redraw();
  }, [marks]);

  useEffect(() => {
    const { current: element } = frame;
    if (element === null) return undefined;
    const plot = new uPlot(optionsOf(element, latestProps), toColumns(latestProps.current), element);
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
