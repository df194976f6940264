import { Link } from '@tanstack/react-router';
import type { ReplayPlan } from '../../../../src/contract/replay';
import { formatCount } from '../../format/number';
import { reasonOf } from '../../labels/target-labels';
import classes from './replay-waits.module.css';
import { TimeAgo } from '../../components/time-ago';

const SHOWN = 5;

/** Which targets a replay waits for, and why. */
export function ReplayWaits({ waits }: { waits: ReplayPlan['waiting_for'] }) {
  if (waits.length === 0) return null;
  return (
    <ul className={classes.waits} aria-label="Targets it is waiting for">
      {waits.slice(0, SHOWN).map((wait) => (
        <li key={wait.target_id}>
          Waiting for{' '}
          <Link to="/targets/$id" params={{ id: wait.target_id }}>
            {wait.name}
          </Link>
          : {wait.why === 'paused' ? 'paused' : 'down, circuit breaker opened'} <TimeAgo at={wait.since} /> (
          {reasonOf(wait)})
        </li>
      ))}
      {waits.length > SHOWN && <li>and {formatCount(waits.length - SHOWN)} more</li>}
    </ul>
  );
}
