import { useQuery } from '@tanstack/react-query';
import type { Stats } from '../../../../src/contract/stats';
import { statsQuery } from '../../api/stats';
import { Panel } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatCount } from '../../format/number';
import { NOT_STORED_LABELS } from '../../labels/not-stored-labels';
import classes from './not-stored-panel.module.css';

/** What came to the webhook's address and was not stored, by reason; nothing where nothing was. */
export function NotStoredPanel() {
  const { data: stats } = useQuery(statsQuery);
  return stats === undefined || stats.not_stored.length === 0 ? null : <NotStored stats={stats} />;
}

function NotStored({ stats: { not_stored: reasons, started_at: startedAt } }: { stats: Stats }) {
  return (
    <Panel title="Not stored" flush>
      <p className={classes.lead}>
        Requests to the webhook address that were not stored, since the start <TimeAgo at={startedAt} />.
      </p>
      <ul>
        {reasons.map(({ reason, count, last_at: lastAt }) => (
          <li key={reason} className={classes.reason}>
            <StateBadge state={NOT_STORED_LABELS[reason]} />
            <span className={classes.meaning}>{NOT_STORED_LABELS[reason].description}</span>
            <span className={classes.count}>{formatCount(count)}</span>
            <span className={classes.meaning}>
              last <TimeAgo at={lastAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
