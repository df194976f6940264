import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SCHEMA_LEARNED_EVENTS } from '@contract/constants';
import type { PayloadChange } from '@contract/payload-type';
import { payloadVersionsQuery } from '../../api/payload-types';
import { Mono } from '../../components/mono';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { CHANGE_LABELS } from '../../labels/payload-labels';
import classes from './versions-panel.module.css';

/** The versions of a schema, newest first, with what changed in each. @param shown the version whose fields are shown */
export function VersionsPanel({ type, shown }: { type: string; shown: string | undefined }) {
  const query = useQuery(payloadVersionsQuery(type));
  return (
    <Panel title="Versions" flush>
      <PendingData query={query} rows={3} flush />
      {query.data?.data.length === 0 && (
        <PanelText>
          The first version is made when {SCHEMA_LEARNED_EVENTS} events or 24 hours were seen.
        </PanelText>
      )}
      <ol>
        {query.data?.data.map(({ version, created_at: at, accepted_at: accepted, changes }) => (
          <li key={version} className={classes.version}>
            <div className={classes.head}>
              <Link
                to="/contract/$type"
                params={{ type }}
                search={{ version: String(version) }}
                resetScroll={false}
                aria-current={String(version) === shown || undefined}
                className={classes.name}
              >
                Version {version}
              </Link>
              {accepted !== null && <span className={classes.muted}>accepted</span>}
              <TimeAgo at={at} className={classes.time} />
            </div>
            <ul className={classes.changes}>
              {changes.map((change) => (
                <Change key={`${change.path} ${change.change}`} change={change} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Change({ change: { path, change, before, after, event_id: event } }: { change: PayloadChange }) {
  return (
    <li>
      <Mono>{path}</Mono>{' '}
      <span className={classes.muted}>
        {CHANGE_LABELS[change]}: {before ?? 'none'} → {after ?? 'none'}
      </span>{' '}
      {event !== null && (
        <Link to="/events/$id" params={{ id: event }} aria-label={`First event: ${path}`}>
          First event
        </Link>
      )}
    </li>
  );
}
