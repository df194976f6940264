import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TargetErrors } from '@contract/stats';
import type { Target } from '@contract/target';
import { latestFailureQuery, targetErrorsQuery } from '../../api/deliveries';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { targetSearch } from '../../search/target-search';
import { errorLabel } from '../../labels/delivery-labels';
import { formatCount, formatNoun } from '../../format/number';
import { describeTimeRange, type TimeRange } from '../../format/time-range';
import { ResponseExcerpt } from '../../features/dead-letters/response-excerpt';
import classes from './errors-panel.module.css';

interface ErrorsPanelProps {
  target: Target;
  range: TimeRange;
  /** The error by which the deliveries are filtered. */
  selectedError: string | undefined;
}

/** Failed attempts by error, most frequent first; each filters the deliveries by that error. */
export function ErrorsPanel({ target, range, selectedError }: ErrorsPanelProps) {
  const query = useQuery(targetErrorsQuery(target.id, range));
  const { data } = query;
  return (
    <Panel title="Errors" flush>
      <PendingData query={query} rows={2} flush />
      {data !== undefined && (
        <div className={classes.content} data-stale={query.isPlaceholderData || undefined}>
          <PanelText>{describeErrors(data, range)}</PanelText>
          <ul>
            {data.data.map(({ error, attempts, latest_at }) => (
              <li key={error}>
                <Link
                  to="/targets/$id"
                  params={{ id: target.id }}
                  search={({ range: relative, since, until }) =>
                    targetSearch({
                      range: relative,
                      since,
                      until,
                      error: error === selectedError ? '' : error,
                    })
                  }
                  replace
                  resetScroll={false}
                  className={classes.row}
                  aria-current={error === selectedError || undefined}
                  title={
                    error === selectedError
                      ? 'Show all deliveries'
                      : 'Show only deliveries whose last attempt failed with this error'
                  }
                >
                  <span>{/^\d+$/.test(error) ? `HTTP ${error}` : errorLabel(error)}</span>
                  <span className={classes.count}>{formatCount(attempts)}</span>
                  <TimeAgo at={latest_at} className={classes.time} />
                </Link>
                <LatestFailure target={target.id} error={error} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}

/** The response to the newest delivery that failed so, as far as none has succeeded since. */
function LatestFailure({ target, error }: { target: string; error: string }) {
  const { data: delivery } = useQuery(latestFailureQuery(target, error));
  const excerpt = delivery?.attempts.at(-1)?.excerpt ?? null;
  return !delivery || excerpt === null ? null : (
    <div className={classes.response}>
      <Link to="/events/$id" params={{ id: delivery.event_id }}>
        Latest response
      </Link>
      <ResponseExcerpt text={excerpt} />
    </div>
  );
}

function describeErrors({ attempts, data }: TargetErrors, range: TimeRange): string {
  const failed = data.reduce((sum, { attempts: count }) => sum + count, 0);
  const of =
    attempts === 0 ? 'no attempts' : `${formatCount(failed)} of ${formatNoun(attempts, 'attempt')} failed`;
  return `${describeTimeRange(range)}: ${of}.`;
}
