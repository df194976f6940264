import type { TargetHealth } from '@contract/target-health';
import { None } from '../../components/none';
import { ProgressBar } from '../../components/progress-bar';
import { formatNoun, formatShare } from '../../format/number';
import type { Tone } from '../../labels/state-label';
import classes from './success-rate.module.css';

const FAILING_SHARE = 0.5;
/** A few retries are normal. */
const HEALTHY_SHARE = 0.99;

function toneOf(delivered: number, attempts: number): Tone {
  if (delivered >= attempts * HEALTHY_SHARE) return 'ok';
  return delivered <= attempts * FAILING_SHARE ? 'bad' : 'warn';
}

/** The share of attempts in the last hour that succeeded, with a bar. */
export function SuccessRate({ health: { attempts, failed } }: { health: TargetHealth }) {
  if (attempts === 0) return <None />;
  const delivered = attempts - failed;
  return (
    <span
      className={classes.rate}
      title={`${formatNoun(attempts, 'attempt')} in the last hour, ${failed} failed`}
    >
      <span className={classes.bar} aria-hidden>
        <ProgressBar
          label="Success rate in the last hour"
          done={delivered}
          total={attempts}
          tone={toneOf(delivered, attempts)}
        />
      </span>
      {formatShare(delivered, attempts)}
    </span>
  );
}
