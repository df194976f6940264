import { Link } from '@tanstack/react-router';
import type { DeadLetterCause } from '@contract/dead-letter';
import { Sparkline } from '../../components/sparkline';
import { TimeAgo } from '../../components/time-ago';
import { ResponseExcerpt } from '../../features/dead-letters/response-excerpt';
import { formatCount } from '../../format/number';
import { outcomeLabel } from '../../labels/delivery-labels';
import classes from './cause-evidence.module.css';

/** When the dead letters of a cause failed, and the latest response of the target. */
export function CauseEvidence({ cause }: { cause: DeadLetterCause }) {
  const { by_hour: byHour, newest, first_failed_at: first, last_failed_at: last, deliveries } = cause;
  const inLastDay = formatCount(byHour.reduce((sum, count) => sum + count, 0));
  const period = `Last 24 hours: ${inLastDay} of ${formatCount(deliveries)}`;
  return (
    <div className={classes.evidence}>
      <div className={classes.times}>
        <div className={classes.spark}>
          <Sparkline delivered={NONE_DELIVERED} failed={byHour} label={period} />
        </div>
        <span aria-hidden>{period}</span>
        {(first !== last || newest.attempt === null) && (
          <span>
            First seen <TimeAgo at={first} />, last seen <TimeAgo at={last} />
          </span>
        )}
      </div>
      <LatestResponse newest={newest} />
    </div>
  );
}

const NONE_DELIVERED = Array.from({ length: 24 }, () => 0);

function LatestResponse({ newest: { event_id: id, attempt } }: Pick<DeadLetterCause, 'newest'>) {
  if (attempt === null) return null;
  const { status, error, at, excerpt } = attempt;
  return (
    <div className={classes.response}>
      <p>
        {status === null ? 'Latest attempt' : 'Latest response'}, <TimeAgo at={at} />:{' '}
        <Link to="/events/$id" params={{ id }}>
          {outcomeLabel(status, error)}
        </Link>
        {excerpt === null && status !== null && ' without a body'}
      </p>
      {excerpt !== null && <ResponseExcerpt text={excerpt} />}
    </div>
  );
}
