// Draws curves as SVG, readable on light and dark backgrounds.
import { median } from './figures.mjs';

const WIDTH = 300;
const HEIGHT = 220;
const MARGIN = { left: 52, right: 18, top: 34, bottom: 34 };
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .axis { stroke: #8c959f; stroke-width: 1 }
  .curve { fill: none; stroke: #0969da; stroke-width: 2 }
  .range { stroke: #0969da; stroke-width: 1 }
  .point { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .axis { stroke: #6e7681 }
    .curve, .range { stroke: #58a6ff }
    .point { fill: #58a6ff }
  }
`;

/**
 * One panel per curve, side by side, with logarithmic axes. A point is a median, its bar the range of the values.
 * @param panels { title, points: { x, values }[] }
 */
export function drawPlot(unit, panels) {
  const drawn = panels.map(
    (panel, i) => `<g transform="translate(${i * WIDTH} 0)">${drawPanel(unit, panel)}</g>`,
  );
  const width = WIDTH * panels.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img">
<title>${unit} by ${panels.map(({ title }) => title).join(', by ')}</title>
<style>${STYLE}</style>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel(unit, { title, points }) {
  const xs = points.map(({ x }) => x);
  const ys = points.flatMap(({ values }) => values);
  const bottom = HEIGHT - MARGIN.bottom;
  // At least one power of ten, so that a flat curve looks flat.
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...ys)));
  const highest = 10 ** Math.ceil(Math.log10(Math.max(...ys)));
  const toX = scale(Math.min(...xs), Math.max(...xs), MARGIN.left + 12, WIDTH - MARGIN.right - 8);
  const toY = scale(lowest, highest, bottom, MARGIN.top);
  const at = ({ x, values }) => `${toX(x)},${toY(median(values))}`;
  const parts = [
    `<text class="title" x="${MARGIN.left}" y="16">${unit}, by ${title}</text>`,
    `<path class="axis" fill="none" d="M${MARGIN.left} ${MARGIN.top}V${bottom}H${WIDTH - MARGIN.right}"/>`,
  ];
  for (let y = lowest; y <= highest; y *= 10)
    parts.push(
      `<text x="${MARGIN.left - 6}" y="${toY(y) + 4}" text-anchor="end">${y.toLocaleString('en-US')}</text>`,
      `<path class="axis" d="M${MARGIN.left - 3} ${toY(y)}h6"/>`,
    );
  parts.push(`<polyline class="curve" points="${points.map(at).join(' ')}"/>`);
  for (const { x, values } of points) {
    const value = median(values);
    parts.push(
      `<path class="range" d="M${toX(x)} ${toY(Math.min(...values))}V${toY(Math.max(...values))}"/>`,
      `<circle class="point" cx="${toX(x)}" cy="${toY(value)}" r="3.5"/>`,
      `<text x="${toX(x)}" y="${toY(Math.max(...values)) - 8}" text-anchor="middle">${Math.round(value).toLocaleString('en-US')}</text>`,
      `<text x="${toX(x)}" y="${bottom + 18}" text-anchor="middle">${shorten(x)}</text>`,
    );
  }
  return parts.join('\n');
}

function scale(from, to, start, end) {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  return (value) => Math.round(start + ((Math.log10(value) - low) / (high - low || 1)) * (end - start));
}

function shorten(count) {
  if (count >= 1_000_000) return `${count / 1_000_000} M`;
  return count >= 10_000 ? `${count / 1_000} k` : String(count);
}
