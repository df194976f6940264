import classes from './sparkline.module.css';

interface SparklineProps {
  /** Count per step; null while Switchboard was not running. */
  delivered: readonly (number | null)[];
  failed: readonly (number | null)[];
  label: string;
}

const HEIGHT = 32;
const BAR_WIDTH = 0.7;
/** Narrower, for who cannot tell the colours apart. */
const FAILED_WIDTH = 0.35;

/** Stacked bars per step: delivered, then failed. */
export function Sparkline({ delivered, failed, label }: SparklineProps) {
  const max = Math.max(1, ...delivered.map((count, i) => (count ?? 0) + (failed[i] ?? 0)));
  const height = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / max) * (HEIGHT - 2)));
  return (
    <figure aria-label={label} className={classes.frame}>
      <svg
        className={classes.spark}
        viewBox={`0 0 ${delivered.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden
      >
        {delivered.map((count, i) => {
          if (count === null) return null;
          const deliveredHeight = height(count);
          const failedHeight = height(failed[i] ?? 0);
          return (
            // The steps have no other key than their index.
            <g key={i}>
              <rect className={classes.baseline} x={i} width={1} y={HEIGHT - 1} height={1} />
              <rect
                className={classes.delivered}
                x={i}
                width={BAR_WIDTH}
                y={HEIGHT - deliveredHeight}
                height={deliveredHeight}
              />
              <rect
                className={classes.failed}
                x={i + (BAR_WIDTH - FAILED_WIDTH) / 2}
                width={FAILED_WIDTH}
                y={HEIGHT - Math.min(HEIGHT, deliveredHeight + failedHeight)}
                height={failedHeight}
              />
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
