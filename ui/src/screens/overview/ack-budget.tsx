import type { Tone } from '../../labels/state-label';
import classes from './ack-budget.module.css';

const BUDGET_MS = 5_000;

function toneOf(share: number): Tone {
  if (share >= 0.8) return 'bad';
  return share >= 0.5 ? 'warn' : 'ok';
}

/** How much of the time that Co-Pilot grants is used up; the words beside it say the same. */
export function AckBudget({ p99 }: { p99: number }) {
  const share = Math.min(1, p99 / BUDGET_MS);
  return (
    <div className={classes.budget} aria-hidden>
      <div
        className={classes.used}
        data-tone={toneOf(share)}
        style={{ width: `max(3px, ${share * 100}%)` }}
      />
    </div>
  );
}
