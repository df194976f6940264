import type { Attempt, DeliveryDetail } from '../../../../src/contract/delivery';
import { TimeAgo } from '../../components/time-ago';
import { outcomeOf } from '../../text/delivery-words';
import { formatMilliseconds } from '../../text/format-number';
import classes from './attempt-timeline.module.css';

const succeeded = ({ error, status }: Attempt) => error === null && status !== null;

/** The tries of a delivery in their order, each with its outcome in words. */
export function AttemptTimeline({ delivery: { attempts, state } }: { delivery: DeliveryDetail }) {
  if (attempts.length === 0) {
    return <p className={classes.none}>{state === 'cancelled' ? 'Never sent.' : 'Not tried yet.'}</p>;
  }
  return (
    <ol className={classes.timeline}>
      {attempts.map((attempt) => (
        <li key={attempt.number} className={classes.attempt} data-ok={succeeded(attempt) || undefined}>
          <div className={classes.line}>
            <span className={classes.outcome}>{outcomeOf(attempt.status, attempt.error)}</span>
            <span className={classes.took}>{formatMilliseconds(attempt.duration_ms)}</span>
            <span className={classes.when}>
              try {attempt.number}, <TimeAgo at={attempt.at} />
            </span>
          </div>
          {attempt.excerpt !== null && attempt.excerpt !== '' && (
            <details className={classes.answer} open={!succeeded(attempt) && attempt === attempts.at(-1)}>
              <summary>Its answer</summary>
              <pre className={classes.excerpt} tabIndex={0} aria-label="The answer">
                {attempt.excerpt}
              </pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
