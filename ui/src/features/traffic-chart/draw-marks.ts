import type uPlot from 'uplot';

const DASH_PX = 3;

/** Draws a dashed line at each of some times, in seconds since 1970. */
export function drawMarks(chart: uPlot, marks: readonly number[], colour: string): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([DASH_PX * devicePixelRatio, DASH_PX * devicePixelRatio]);
  ctx.beginPath();
  for (const at of marks) {
    const x = chart.valToPos(at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}
