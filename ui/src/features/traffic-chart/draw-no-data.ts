import type uPlot from 'uplot';

const LINES_EVERY_PX = 7;

/** Hatches the time in which nothing was counted, since Switchboard was not running: unknown is not zero. */
export function drawNoData(chart: uPlot, colour: string): void {
  const { ctx, bbox } = chart;
  const [at, values = []] = chart.data;
  const spacing = LINES_EVERY_PX * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  for (const [first, last] of unknownRanges(values)) {
    const left = Math.max(bbox.left, chart.valToPos(at[first]!, 'x', true));
    const right = Math.min(bbox.left + bbox.width, chart.valToPos(at[last]!, 'x', true));
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, right - left, bbox.height);
    ctx.clip();
    ctx.beginPath();
    for (let x = left - bbox.height; x < right; x += spacing) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
  ctx.restore();
}

/** The runs of missing values as indexes, up to the next value; one at the end has just begun and is left out. */
function unknownRanges(values: ArrayLike<number | null | undefined>): [first: number, next: number][] {
  const ranges: [number, number][] = [];
  let first: number | null = null;
  for (let i = 0; i < values.length; i += 1) {
    const isMissing = (values[i] ?? null) === null;
    if (isMissing) first ??= i;
    else if (first !== null) {
      ranges.push([first, i]);
      first = null;
    }
  }
  return ranges;
}
