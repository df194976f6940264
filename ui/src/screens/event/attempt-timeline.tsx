import { IconChevronRight } from '@tabler/icons-react';
import type { Attempt, DeliveryDetail } from '../../../../src/contract/delivery';
import { TimeAgo } from '../../components/time-ago';
import { outcomeLabel } from '../../labels/delivery-labels';
import { formatMilliseconds } from '../../format/number';
import classes from './attempt-timeline.module.css';

const succeeded = ({ error, status }: Attempt) => error === null && status !== null;

/** The tries of a delivery in their order, each with its outcome in words; one that was answered unfolds. */
export function AttemptTimeline({ delivery: { attempts, state } }: { delivery: DeliveryDetail }) {
  if (attempts.length === 0) {
    return <p className={classes.none}>{state === 'cancelled' ? 'No attempts.' : 'No attempts yet.'}</p>;
  }
  return (
    <ol className={classes.timeline}>
      {attempts.map((attempt) => (
        <li key={attempt.number} className={classes.attempt} data-ok={succeeded(attempt) || undefined}>
          {attempt.excerpt === null || attempt.excerpt === '' ? (
            <Line attempt={attempt} />
          ) : (
            <details>
              <summary className={classes.summary} title="Show response">
                <Line attempt={attempt} answered />
              </summary>
              <pre className={classes.excerpt}>{attempt.excerpt}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

function Line({ attempt, answered = false }: { attempt: Attempt; answered?: boolean }) {
  return (
    <span className={classes.line}>
      <span>{outcomeLabel(attempt.status, attempt.error)}</span>
      <span className={classes.took}>{formatMilliseconds(attempt.duration_ms)}</span>
      {answered && <IconChevronRight size={14} aria-hidden className={classes.chevron} />}
      <span className={classes.when}>
        attempt {attempt.number}, <TimeAgo at={attempt.at} />
      </span>
    </span>
  );
}
