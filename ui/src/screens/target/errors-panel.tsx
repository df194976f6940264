import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StatsPeriod, TargetErrors } from '@contract/stats';
import type { Target } from '@contract/target';
import { targetErrorsQuery } from '../../api/deliveries';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import switchClasses from '../../components/period-switch.module.css';
import { TimeAgo } from '../../components/time-ago';
import { ERROR_PERIODS, targetSearch } from '../../search/target-search';
import { errorLabel } from '../../labels/delivery-labels';
import { formatCount, formatNoun } from '../../format/number';
import { PERIOD_LABELS } from '../../labels/period-labels';
import classes from './errors-panel.module.css';

interface ErrorsPanelProps {
  target: Target;
  period: StatsPeriod;
  /** The error by which the deliveries are filtered. */
  selectedError: string | undefined;
}

/** Failed attempts by error, most frequent first; each filters the deliveries by that error. */
export function ErrorsPanel({ target, period, selectedError }: ErrorsPanelProps) {
  const query = useQuery(targetErrorsQuery(target.id, period));
  const { data } = query;
  return (
    <Panel title="Errors" flush aside={<PeriodSwitch target={target} />}>
      <PendingData query={query} rows={2} flush />
      {data !== undefined && (
        <div className={classes.content} data-stale={data.period !== period || undefined}>
          <PanelText>{describeErrors(data)}</PanelText>
          <ul>
            {data.data.map(({ error, attempts, latest_at }) => (
              <li key={error}>
                <Link
                  to="/targets/$id"
                  params={{ id: target.id }}
                  search={({ errors }) =>
                    targetSearch({ errors, error: error === selectedError ? '' : error })
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
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}

const PeriodSwitch = ({ target }: { target: Target }) => (
  <nav aria-label="Time range of the errors" className={switchClasses.periods}>
    {ERROR_PERIODS.map((one) => (
      <Link
        key={one}
        to="/targets/$id"
        params={{ id: target.id }}
        search={(before) => targetSearch({ ...before, errors: one })}
        replace
        activeOptions={{ exact: true, includeSearch: true }}
        resetScroll={false}
        className={switchClasses.period}
        title={`Count the errors of ${PERIOD_LABELS[one].title}`}
      >
        {PERIOD_LABELS[one].name}
      </Link>
    ))}
  </nav>
);

function describeErrors({ period, attempts, data }: TargetErrors): string {
  const failed = data.reduce((sum, { attempts: count }) => sum + count, 0);
  const { title } = PERIOD_LABELS[period];
  if (attempts === 0) return `No attempts in ${title}.`;
  if (failed === 0) return `None of ${formatNoun(attempts, 'attempt')} in ${title} failed.`;
  return `${formatCount(failed)} of ${formatNoun(attempts, 'attempt')} in ${title} failed.`;
}
