import { useElementSize, useReducedMotion } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { formatRate } from '../../format/number';
import type { Tone } from '../../labels/state-label';
import { heightOf, NODE_PX, ROW_PX } from './topology-size';
import { describeNode, SOURCE_ID, type TopologyNode, type TopologyView } from './topology-view';
import classes from './topology.module.css';

const SOURCE_PX = 150;
const HUB_PX = 110;
const MAX_TARGET_PX = 320;
const TARGET_SHARE = 0.34;
const HUB_AT = 0.36;
/** Of the small font, in px; texts are cut by that. */
const LETTER_PX = 6.2;
const BOLD_LETTER_PX = 7;
const MIN_EDGE_PX = 1.5;
const MAX_EDGE_PX = 6;
/** A dot travels along an edge in this time. */
const TRAVEL_S = 2.4;
const MAX_DOTS = 3;

/** The topology as a drawing; the text beside it says the same. */
export function Topology({ view: { source, targets } }: { view: TopologyView }) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const isStatic = useReducedMotion();
  const height = heightOf(targets.length);
  const middle = height / 2;
  const hubX = width * HUB_AT;
  const targetPx = Math.min(MAX_TARGET_PX, width * TARGET_SHARE);
  const targetX = width - targetPx;
  const top = middle - (targets.length * ROW_PX) / 2;
  return (
    <div ref={ref}>
      {/* Nothing has a width yet. */}
      {width > 0 && (
        <svg width={width} height={height} className={classes.drawing} aria-hidden>
          <Edge
            node={source}
            from={[SOURCE_PX, middle]}
            to={[hubX, middle]}
            unit="events/s"
            isStatic={isStatic}
          />
          {targets.map((target, i) => (
            <Edge
              key={target.id}
              node={target}
              from={[hubX + HUB_PX, middle]}
              to={[targetX, top + (i + 0.5) * ROW_PX]}
              unit="attempts/s"
              isStatic={isStatic}
            />
          ))}
          <Node node={source} x={0} y={middle} width={SOURCE_PX} />
          <g className={classes.node}>
            <rect x={hubX} y={middle - NODE_PX / 2} width={HUB_PX} height={NODE_PX} rx={8} />
            <text x={hubX + HUB_PX / 2} y={middle + 4} textAnchor="middle" className={classes.name}>
              This hub
            </text>
          </g>
          {targets.map((target, i) => (
            <Node key={target.id} node={target} x={targetX} y={top + (i + 0.5) * ROW_PX} width={targetPx} />
          ))}
        </svg>
      )}
    </div>
  );
}

/** As in the lists of states: a disc, a diamond, a triangle. */
const DISC = 'M -4 0 a 4 4 0 1 0 8 0 a 4 4 0 1 0 -8 0';
const MARKS: Record<Tone, string> = {
  ok: DISC,
  busy: DISC,
  idle: DISC,
  warn: 'M 0 -5 L 5 4 L -5 4 z',
  bad: 'M 0 -5 L 5 0 L 0 5 L -5 0 z',
};

interface NodeProps {
  node: TopologyNode;
  x: number;
  y: number;
  width: number;
}

/** A click leads to its screen; for keyboards, there are the links of what needs attention and of the list. */
function Node({ node, x, y, width }: NodeProps) {
  const { id, name, state, queued, tone } = node;
  const to = { tabIndex: -1, className: classes.node, 'data-tone': tone };
  const drawing = (
    <>
      <title>{`${name}: ${describeNode(node, 'per second')}`}</title>
      <rect x={x + 0.5} y={y - NODE_PX / 2} width={width - 1} height={NODE_PX} rx={8} />
      <path d={MARKS[tone]} transform={`translate(${x + 16} ${y})`} />
      <text x={x + 30} y={y - 3} className={classes.name}>
        {cut(name, Math.floor((width - 54) / BOLD_LETTER_PX) - queued.length)}
      </text>
      <text x={x + width - 12} y={y - 3} textAnchor="end" className={classes.state}>
        {queued}
      </text>
      <text x={x + 30} y={y + 13} className={classes.state}>
        {cut(state, Math.floor((width - 42) / LETTER_PX))}
      </text>
    </>
  );
  if (id === SOURCE_ID)
    return (
      <Link to="/connection" {...to}>
        {drawing}
      </Link>
    );
  return (
    <Link to="/targets/$id" params={{ id }} {...to}>
      {drawing}
    </Link>
  );
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

type Point = [x: number, y: number];

interface EdgeProps {
  node: TopologyNode;
  from: Point;
  to: Point;
  unit: string;
  isStatic: boolean;
}

/** A line as wide as its rate, with dots that travel along it while something flows. */
function Edge({ node: { rate, tone }, from, to, unit, isStatic }: EdgeProps) {
  const bend = (to[0] - from[0]) / 2;
  const path = `M ${from.join(' ')} C ${from[0] + bend} ${from[1]} ${to[0] - bend} ${to[1]} ${to.join(' ')}`;
  // On the outer side of the bend, which the line does not cross.
  const labelY = to[1] > from[1] ? to[1] + 17 : to[1] - 9;
  const edgePx = Math.min(MAX_EDGE_PX, MIN_EDGE_PX + Math.log2(1 + rate));
  const dots = isStatic || rate === 0 ? 0 : Math.min(MAX_DOTS, Math.ceil(rate));
  return (
    <g className={classes.edge} data-tone={tone} data-still={(rate === 0 && tone !== 'ok') || undefined}>
      <path d={path} strokeWidth={edgePx} />
      {Array.from({ length: dots }, (_, i) => (
        <circle
          key={i}
          r={3.5}
          className={classes.dot}
          style={{
            offsetPath: `path('${path}')`,
            animationDuration: `${TRAVEL_S}s`,
            animationDelay: `${(-i * TRAVEL_S) / dots}s`,
          }}
        />
      ))}
      {rate > 0 && (
        <text x={to[0] - 10} y={labelY} textAnchor="end" className={classes.rate}>
          {formatRate(rate)} {unit}
        </text>
      )}
    </g>
  );
}
