import classes from './sparkline.module.css';

interface SparklineProps {
  /** One for each step; null where Switchboard was not running. */
  delivered: readonly (number | null)[];
  failed: readonly (number | null)[];
  label: string;
}

const HEIGHT = 32;
const BAR = 0.7;

/** A target's last hour: a bar for each minute, what failed on top of what was delivered. */
export function Sparkline({ delivered, failed, label }: SparklineProps) {
  const most = Math.max(1, ...delivered.map((count, i) => (count ?? 0) + (failed[i] ?? 0)));
  const height = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 2)));
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${delivered.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {delivered.map((count, i) => {
        if (count === null) return null;
        const taken = height(count);
        const refused = height(failed[i] ?? 0);
        return (
          // Their place is what tells them apart.
          <g key={i}>
            <rect className={classes.ground} x={i} width={BAR} y={HEIGHT - 1} height={1} />
            <rect className={classes.delivered} x={i} width={BAR} y={HEIGHT - taken} height={taken} />
            <rect
              className={classes.failed}
              x={i}
              width={BAR}
              y={HEIGHT - Math.min(HEIGHT, taken + refused)}
              height={refused}
            />
          </g>
        );
      })}
    </svg>
  );
}
