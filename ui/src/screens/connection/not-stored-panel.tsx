import { useQuery } from '@tanstack/react-query';
import type { NotStoredReason, Stats } from '@contract/stats';
import { statsQuery } from '../../api/stats';
import { Panel, PanelText } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatCount } from '../../format/number';
import classes from './not-stored-panel.module.css';
import type { StateLabel } from '../../labels/state-label';

/** Why something that came to the webhook's address was not stored. */
const NOT_STORED_LABELS: Record<NotStoredReason, StateLabel> = {
  storage: {
    tone: 'bad',
    label: 'Disk failed',
    description: 'Responded 503: the database could not be written',
  },
  late: { tone: 'bad', label: 'Too slow', description: 'Responded 503: not on disk within 4 s' },
  overload: { tone: 'bad', label: 'Overloaded', description: 'Responded 503: too many notifications queued' },
  too_large: { tone: 'bad', label: 'Too large', description: 'Responded 413: exceeds the size limit' },
  aborted: { tone: 'warn', label: 'Aborted', description: 'The sender disconnected before the last byte' },
  wrong_method: {
    tone: 'warn',
    label: 'Not a POST',
    description: 'Responded 405: possibly redirected on the way',
  },
  wrong_path: {
    tone: 'bad',
    label: 'Wrong path',
    description: 'Responded 404: valid key on a different path',
  },
  headers_too_large: {
    tone: 'bad',
    label: 'Large headers',
    description: 'Responded 431: the headers exceed 32 KiB',
  },
  malformed: { tone: 'bad', label: 'Malformed', description: 'Responded 400: not valid HTTP' },
  request_timeout: { tone: 'warn', label: 'Timed out', description: 'Responded 408: did not arrive in time' },
  expectation_failed: {
    tone: 'bad',
    label: 'Expectation',
    description: 'Responded 417: an Expect header other than 100-continue',
  },
  pipelined: {
    tone: 'bad',
    label: 'Pipelined',
    description: 'Closed: too many requests sent before a response',
  },
  internal_error: {
    tone: 'bad',
    label: 'Internal error',
    description: 'Responded 503 because of an error in Switchboard',
  },
  unidentified: {
    tone: 'idle',
    label: 'Unidentified',
    description: 'Refused by the HTTP server, to an address that is not known',
  },
  unknown_key: {
    tone: 'idle',
    label: 'Unknown key',
    description: 'Responded 404: not an address of this webhook',
  },
};

/** Requests to the webhook address that were not stored, by reason. */
export function NotStoredPanel() {
  const { data: stats } = useQuery(statsQuery);
  return stats === undefined || stats.not_stored.length === 0 ? null : <NotStored stats={stats} />;
}

function NotStored({ stats: { not_stored: reasons, started_at: startedAt } }: { stats: Stats }) {
  return (
    <Panel title="Not stored" flush>
      <PanelText>
        Requests to the webhook address that were not stored, since startup <TimeAgo at={startedAt} />.
      </PanelText>
      <ul>
        {reasons.map(({ reason, count, last_at: lastAt }) => (
          <li key={reason} className={classes.reason}>
            <StateBadge state={NOT_STORED_LABELS[reason]} />
            <span className={classes.muted}>{NOT_STORED_LABELS[reason].description}</span>
            <span className={classes.count}>{formatCount(count)}</span>
            <span className={classes.muted}>
              last <TimeAgo at={lastAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
