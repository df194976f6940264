import type { Attempt, DeliveryDetail } from '@contract/delivery';
import type { EventDetail } from '@contract/event';
import { TimeAgo } from '../../components/time-ago';
import { outcomeLabel } from '../../labels/delivery-labels';
import { formatMilliseconds } from '../../format/number';
import { AttemptExchange } from './attempt-exchange';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './attempt-timeline.module.css';

const succeeded = ({ error, status }: Attempt) => error === null && status !== null;

interface AttemptTimelineProps {
  event: EventDetail;
  delivery: DeliveryDetail;
}

/** The attempts of a delivery in order; each expands to its request and response. */
export function AttemptTimeline({ event, delivery }: AttemptTimelineProps) {
  if (delivery.attempts.length === 0) return null;
  return (
    <ol className={classes.timeline}>
      {delivery.attempts.map((attempt) => (
        <li key={attempt.number} className={classes.attempt} data-ok={succeeded(attempt) || undefined}>
          <details>
            <summary className={classes.summary} title="Show request and response">
              <Line attempt={attempt} />
            </summary>
            <AttemptExchange event={event} delivery={delivery} attempt={attempt} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function Line({ attempt }: { attempt: Attempt }) {
  return (
    <span className={classes.line}>
      <span>{outcomeLabel(attempt.status, attempt.error)}</span>
      <span className={classes.duration}>{formatMilliseconds(attempt.duration_ms)}</span>
      <DisclosureChevron />
      <span className={classes.when}>
        attempt {attempt.number}, <TimeAgo at={attempt.at} />
      </span>
    </span>
  );
}
