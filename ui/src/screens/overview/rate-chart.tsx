import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatClock, formatDay } from '../../format/exact';
import { getTimeZone } from '../../format/time-zone';
import { outageLabel } from './describe-outage';
import { measurableSteps, type RateUnit, type TrafficLine, type TrafficView } from './traffic-view';

interface RateChartProps {
  view: TrafficView;
  unit: RateUnit;
  /** Says in words what is drawn. */
  label: string;
  /** Tells the beginning of the step that the pointer is at. */
  point: (at: number | null) => void;
}

const LINES: readonly { of: TrafficLine; colour: string; fill: string | null }[] = [
  { of: 'events', colour: '--sb-accent', fill: '--sb-accent-soft' },
  { of: 'delivered', colour: '--sb-ok', fill: null },
  { of: 'failed', colour: '--sb-bad', fill: null },
];
const BANDS = { downtime: ['--sb-bad-soft', '--sb-bad'], silence: ['--sb-warn-soft', '--sb-warn'] } as const;
const FONT = '11px system-ui, sans-serif';
const MIN_BAND_PX = 3;
const LINE_PX = 14;
const MAX_LINES = 3;
const DAY_S = 86_400;
/** Below that, several ticks fall into one minute. */
const SECONDS_TICK_SPAN_S = 1_200;

/** Every step of the span: where Switchboard did not run there is nothing, which is not zero. */
function toColumns(view: TrafficView, unit: RateUnit): uPlot.AlignedData {
  const { since, until, step } = view;
  const byTime = new Map(measurableSteps(view).map((one) => [one.at, one]));
  const count = Math.max(0, Math.floor((until - since) / step) + 1);
  const at = Array.from({ length: count }, (_, i) => since + i * step);
  const rate = (line: TrafficLine) =>
    at.map((begun) => {
      const one = byTime.get(begun);
      return one === undefined ? null : (one[line] / one.seconds) * unit.seconds;
    });
  return [at, ...LINES.map(({ of }) => rate(of))];
}

/** The greatest round number (1, 2 or 5 and zeros) that still fits on the scale. */
function roundDown(max: number): number {
  const size = 10 ** Math.floor(Math.log10(max));
  return size * (max >= 5 * size ? 5 : max >= 2 * size ? 2 : 1);
}

/** Points that no line reaches, since nothing lies beside them. */
function isolatedPoints(chart: uPlot, line: number): number[] {
  const values = chart.data[line] ?? [];
  return [...values.keys()].filter((i) => {
    const isMissing = (at: number) => (values[at] ?? null) === null;
    const isIsolated = !isMissing(i) && isMissing(i - 1) && isMissing(i + 1);
    // Of several that are nothing one is enough.
    return isIsolated && (values[i] !== 0 || line === 1);
  });
}

/** Words in lines that fit; none where they do not fit into a few. What the chart cannot say stands below it as well. */
function wrapText(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else if (fits(word)) lines.push(word);
    else return [];
  }
  return lines.length > MAX_LINES ? [] : lines;
}

/** Times in which events may have been missed, behind the lines, with their label where it fits. */
function drawOutages(chart: uPlot, { outages, until }: TrafficView, colour: (name: string) => string): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = FONT.replace('11px', `${11 * ratio}px`);
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  for (const outage of outages) {
    const from = new Date(outage.began_at).getTime() / 1000;
    const to = outage.ended_at === null ? until : new Date(outage.ended_at).getTime() / 1000;
    const left = Math.max(bbox.left, chart.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, chart.valToPos(to, 'x', true));
    const width = Math.max(MIN_BAND_PX * ratio, right - left);
    const [ground, edge] = BANDS[outage.kind];
    ctx.fillStyle = colour(ground);
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.fillStyle = colour(edge);
    ctx.fillRect(left, bbox.top, width, 2 * ratio);
    const lines = wrapText(outageLabel(outage), (text) => ctx.measureText(text).width + 12 * ratio < width);
    for (const [i, line] of lines.entries())
      ctx.fillText(line, left + 6 * ratio, bbox.top + (8 + i * LINE_PX) * ratio);
  }
  ctx.restore();
}

/** Within a day the time, over more of it the day where one begins. */
function tickLabel(seconds: number, spanS: number): string {
  const at = new Date(seconds * 1000).toISOString();
  if (spanS < SECONDS_TICK_SPAN_S) return formatClock(at);
  const clock = formatClock(at).slice(0, 5);
  return spanS >= DAY_S - 600 && clock === '00:00' ? formatDay(at).slice(5) : clock;
}

function optionsOf(
  { clientWidth: width, clientHeight: height }: HTMLElement,
  newest: { current: RateChartProps },
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
      x: { range: () => [newest.current.view.since, newest.current.view.until] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.15)] },
    },
    axes: [
      {
        ...text,
        size: 20,
        gap: 4,
        space: 72,
        grid: { show: false },
        values: (_, seconds) => {
          const { since, until } = newest.current.view;
          return seconds.map((at) => tickLabel(at, until - since));
        },
      },
      {
        ...text,
        size: 44,
        gap: 6,
        splits: (_, __, ___, most) => {
          const apart = roundDown(most / 2);
          return Array.from({ length: Math.floor(most / apart) + 1 }, (_unused, i) => i * apart);
        },
        grid: { stroke: colour('--sb-line'), width: 1 },
        values: (_, rates) =>
          rates.map((rate) => (rate === 0 ? '0' : `${Number(rate.toFixed(3))}/${newest.current.unit.name}`)),
      },
    ],
    series: [
      {},
      ...LINES.map((line) => ({
        // Where all is well the lines lie upon each other; the ground below one of them keeps both in sight.
        ...(line.fill !== null && { fill: colour(line.fill) }),
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: true, size: 4, width: 0, fill: colour(line.colour), filter: isolatedPoints },
      })),
    ],
    hooks: {
      drawClear: [(chart) => drawOutages(chart, newest.current.view, colour)],
      setCursor: [({ cursor, data }) => newest.current.point(data[0][cursor.idx ?? -1] ?? null)],
    },
  };
}

/**
 * The lines themselves; loaded when first wanted. A canvas knows no variables, so another theme wants another chart: the
 * caller gives it the theme as its key.
 */
export function RateChart(props: RateChartProps) {
  const { view, unit, label } = props;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const newest = useRef(props);
  useEffect(() => {
    newest.current = props;
  });
  useEffect(() => {
    chart.current?.setData(toColumns(view, unit));
  }, [view, unit]);

  useEffect(() => {
    const { current: element } = frame;
    if (element === null) return undefined;
    const { view: first, unit: of } = newest.current;
    const drawn = new uPlot(optionsOf(element, newest), toColumns(first, of), element);
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

  return <figure ref={frame} aria-label={label} style={{ height: '100%', margin: 0, overflow: 'hidden' }} />;
}
