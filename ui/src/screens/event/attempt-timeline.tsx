import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Attempt, DeliveryDetail } from '@contract/delivery';
import { targetsQuery } from '../../api/targets';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { outcomeLabel } from '../../labels/delivery-labels';
import { formatMilliseconds } from '../../format/number';
import classes from './attempt-timeline.module.css';

const succeeded = ({ error, status }: Attempt) => error === null && status !== null;

/** The attempts of a delivery in order; those with a response body can be expanded. */
export function AttemptTimeline({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts } = delivery;
  if (attempts.length === 0) return <NoAttempts delivery={delivery} />;
  return (
    <ol className={classes.timeline}>
      {attempts.map((attempt) => (
        <li key={attempt.number} className={classes.attempt} data-ok={succeeded(attempt) || undefined}>
          {attempt.excerpt === null || attempt.excerpt === '' ? (
            <Line attempt={attempt} />
          ) : (
            <details>
              <summary className={classes.summary} title="Show response">
                <Line attempt={attempt} expandable />
              </summary>
              <pre className={classes.excerpt}>{attempt.excerpt}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Why a delivery was not attempted yet, if it is still queued. */
function NoAttempts({ delivery: { state, target_id: targetId } }: { delivery: DeliveryDetail }) {
  const { data: targets } = useQuery(targetsQuery);
  const target = targets?.find(({ id }) => id === targetId);
  const { paused = null, breaker = null } = target ?? {};
  const isQueued = state === 'pending' || state === 'waiting' || state === 'retrying';
  return (
    <p className={classes.none}>
      {!isQueued && (state === 'in_flight' ? 'No response yet' : 'No attempts')}
      {isQueued && paused !== null && 'Queued: target is paused'}
      {isQueued && paused === null && breaker !== null && (
        <>
          Queued: target is down, next probe <TimeLeft at={breaker.probe_at} />
        </>
      )}
      {isQueued && paused === null && breaker === null && 'Queued, no attempts yet'}
    </p>
  );
}

function Line({ attempt, expandable = false }: { attempt: Attempt; expandable?: boolean }) {
  return (
    <span className={classes.line}>
      <span>{outcomeLabel(attempt.status, attempt.error)}</span>
      <span className={classes.duration}>{formatMilliseconds(attempt.duration_ms)}</span>
      {expandable && <IconChevronRight size={14} aria-hidden className={classes.chevron} />}
      <span className={classes.when}>
        attempt {attempt.number}, <TimeAgo at={attempt.at} />
      </span>
    </span>
  );
}
