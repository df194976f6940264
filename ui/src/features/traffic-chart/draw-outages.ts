import type { Outage } from '@contract/outage';
import type uPlot from 'uplot';
import { outageLabel } from './describe-outage';

/** Looks up the value of a design token. */
type Colours = (name: string) => string;

const COLOURS = {
  downtime: ['--sb-bad-soft', '--sb-bad'],
  silence: ['--sb-warn-soft', '--sb-warn'],
  restore: ['--sb-bad-soft', '--sb-bad'],
  failover: ['--sb-bad-soft', '--sb-bad'],
  unregistered: ['--sb-bad-soft', '--sb-bad'],
  not_stored: ['--sb-bad-soft', '--sb-bad'],
} as const;
const MIN_BAND_PX = 3;
const LINE_HEIGHT_PX = 14;
const MAX_LINES = 3;

interface Outages {
  outages?: readonly Outage[];
  /** In seconds since 1970. */
  until: number;
}

/** Draws outages as bands; to be called before the lines are drawn. */
export function drawOutageBands(chart: uPlot, { outages = [], until }: Outages, colour: Colours): void {
  const { ctx, bbox } = chart;
  inPlot(chart, () => {
    for (const outage of outages) {
      const { left, width } = bandOf(chart, outage, until);
      const [background, border] = COLOURS[outage.kind];
      ctx.fillStyle = colour(background);
      ctx.fillRect(left, bbox.top, width, bbox.height);
      ctx.fillStyle = colour(border);
      ctx.fillRect(left, bbox.top, width, 2 * devicePixelRatio);
    }
  });
}

interface LabelStyle {
  colour: Colours;
  /** At 11 px. */
  font: string;
}

/** Labels the bands that are wide enough; to be called after the grid is drawn, which would cross the text. */
export function drawOutageLabels(
  chart: uPlot,
  { outages = [], until }: Outages,
  { colour, font }: LabelStyle,
): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  inPlot(chart, () => {
    ctx.font = font.replace('11px', `${11 * ratio}px`);
    ctx.textBaseline = 'top';
    ctx.textAlign = 'left';
    for (const outage of outages) {
      const { left, width } = bandOf(chart, outage, until);
      const lines = wrapText(outageLabel(outage), (text) => ctx.measureText(text).width + 12 * ratio < width);
      ctx.fillStyle = colour(COLOURS[outage.kind][1]);
      for (const [i, line] of lines.entries())
        ctx.fillText(line, left + 6 * ratio, bbox.top + (8 + i * LINE_HEIGHT_PX) * ratio);
    }
  });
}

/** Draws only within the area of the lines. */
function inPlot({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

function bandOf(chart: uPlot, outage: Outage, until: number): { left: number; width: number } {
  const { left: first, width } = chart.bbox;
  const from = new Date(outage.began_at).getTime() / 1000;
  const to = outage.ended_at === null ? until : new Date(outage.ended_at).getTime() / 1000;
  const left = Math.max(first, chart.valToPos(from, 'x', true));
  const right = Math.min(first + width, chart.valToPos(to, 'x', true));
  return { left, width: Math.max(MIN_BAND_PX * devicePixelRatio, right - left) };
}

/** Wraps a text; empty if it does not fit into a few lines. The text is also shown below the chart. */
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
