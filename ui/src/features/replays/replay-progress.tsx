import type { ReplaySummary } from '@contract/replay';
import { formatTwoUnits } from '../../format/duration';
import { formatCount, formatRate } from '../../format/number';
import { REPLAY_LABELS } from '../../labels/replay-labels';
import { ProgressBar } from '../../components/progress-bar';
import classes from './replay-progress.module.css';
import { Link } from '@tanstack/react-router';
import { reasonOf } from '../../labels/target-labels';
import { TimeAgo } from '../../components/time-ago';

/** Progress, speed and remaining time of a replay. */
export function ReplayProgress({ replay }: { replay: ReplaySummary }) {
  const {
    state,
    events,
    total,
    deliveries,
    estimated,
    events_per_second: rate,
    waiting_for: waitingFor,
  } = replay;
  // The estimated total may be too low.
  const max = Math.max(total, events);
  const remaining = state === 'running' ? describeTime(replay, events < max) : null;
  const about = estimated ? 'about ' : '';
  return (
    <div className={classes.progress}>
      <ProgressBar
        label="Events in this replay"
        done={state === 'done' ? max : events}
        total={max}
        tone={REPLAY_LABELS[state].tone}
      />
      <div className={classes.text}>
        <span className={classes.done}>
          {state === 'done' && estimated
            ? `${formatCount(events)} events`
            : `${formatCount(events)} of ${about}${formatCount(max)} events`}
        </span>
        <span>
          {formatCount(deliveries)} {deliveries === 1 ? 'delivery' : 'deliveries'} created
        </span>
        {state === 'running' && events < max && <span>{describeRate(rate)}</span>}
        {state === 'running' && events >= max && <span>sending the last deliveries</span>}
        {remaining !== null && <span>{remaining}</span>}
      </div>
      <WaitingForTargets targets={waitingFor} />
    </div>
  );
}

/** The time left. When paused or failing targets resume is unknown, so the estimate is for the other targets. */
function describeTime(
  { eta_s: eta, waiting_for: waitingFor }: ReplaySummary,
  isBehind: boolean,
): string | null {
  if (eta === null) return isBehind && waitingFor.length === 0 ? 'no estimate yet' : null;
  const time = eta < 1 ? null : `about ${formatTwoUnits(eta)} left`;
  return time === null || waitingFor.length === 0 ? time : `${time} for the other targets`;
}

function describeRate(perSecond: number | null): string {
  if (perSecond === null) return 'measuring rate';
  return perSecond < 0.1 ? 'less than 0.1 events/s' : `${formatRate(perSecond)} events/s`;
}

const MAX_SHOWN_TARGETS = 5;

/** Which targets a replay waits for, and why. */
function WaitingForTargets({ targets }: { targets: ReplaySummary['waiting_for'] }) {
  if (targets.length === 0) return null;
  return (
    <ul className={classes.waits} aria-label="Targets it is waiting for">
      {targets.slice(0, MAX_SHOWN_TARGETS).map((target) => (
        <li key={target.target_id}>
          Waiting for{' '}
          <Link to="/targets/$id" params={{ id: target.target_id }}>
            {target.name}
          </Link>
          : {target.why === 'paused' ? 'paused' : 'down, circuit breaker opened'}{' '}
          <TimeAgo at={target.since} /> ({reasonOf(target)})
        </li>
      ))}
      {targets.length > MAX_SHOWN_TARGETS && (
        <li>and {formatCount(targets.length - MAX_SHOWN_TARGETS)} more</li>
      )}
    </ul>
  );
}
