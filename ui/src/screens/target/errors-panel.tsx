import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StatsSpan, TargetErrors } from '../../../../src/contract/stats';
import type { Target } from '../../../../src/contract/target';
import { targetErrorsQuery } from '../../api/deliveries';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import switchClasses from '../../components/span-switch.module.css';
import { TimeAgo } from '../../components/time-ago';
import { ERROR_SPANS, targetSearch } from '../../search/target-search';
import { errorLabel } from '../../labels/delivery-labels';
import { formatCount, formatNoun } from '../../format/number';
import { SPAN_LABELS } from '../../labels/span-labels';
import classes from './errors-panel.module.css';

interface ErrorsPanelProps {
  target: Target;
  /** How far back it counts. */
  span: StatsSpan;
  /** The way to fail that the deliveries are narrowed to. */
  chosen: string | undefined;
}

/** How attempts failed, the most frequent way first; each leads to the deliveries that it befell last. */
export function ErrorsPanel({ target, span, chosen }: ErrorsPanelProps) {
  const query = useQuery(targetErrorsQuery(target.id, span));
  const { data } = query;
  return (
    <Panel title="Errors" flush aside={<SpanSwitch target={target} />}>
      <PendingData query={query} rows={2} flush />
      {data !== undefined && (
        <div className={classes.counted} data-stale={data.span !== span || undefined}>
          <p className={classes.sum}>{describeErrors(data)}</p>
          <ul>
            {data.data.map(({ error: kind, attempts, latest_at }) => (
              <li key={kind}>
                <Link
                  to="/targets/$id"
                  params={{ id: target.id }}
                  search={({ errors }) => targetSearch({ errors, error: kind === chosen ? '' : kind })}
                  replace
                  resetScroll={false}
                  className={classes.row}
                  aria-current={kind === chosen || undefined}
                  title={
                    kind === chosen
                      ? 'Show all deliveries'
                      : 'Show only deliveries whose last attempt failed with this error'
                  }
                >
                  <span>{/^\d+$/.test(kind) ? `HTTP ${kind}` : errorLabel(kind)}</span>
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

const SpanSwitch = ({ target }: { target: Target }) => (
  <nav aria-label="Time range of the errors" className={switchClasses.spans}>
    {ERROR_SPANS.map((one) => (
      <Link
        key={one}
        to="/targets/$id"
        params={{ id: target.id }}
        search={(before) => targetSearch({ ...before, errors: one })}
        replace
        activeOptions={{ exact: true, includeSearch: true }}
        resetScroll={false}
        className={switchClasses.span}
        title={`Count the errors of ${SPAN_LABELS[one].title}`}
      >
        {SPAN_LABELS[one].name}
      </Link>
    ))}
  </nav>
);

function describeErrors({ span, attempts, data }: TargetErrors): string {
  const failed = data.reduce((sum, kind) => sum + kind.attempts, 0);
  const { title } = SPAN_LABELS[span];
  if (attempts === 0) return `No attempts in ${title}.`;
  if (failed === 0) return `None of ${formatNoun(attempts, 'attempt')} in ${title} failed.`;
  return `${formatCount(failed)} of ${formatNoun(attempts, 'attempt')} in ${title} failed.`;
}
