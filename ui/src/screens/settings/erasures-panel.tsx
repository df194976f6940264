import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Erasure } from '@contract/erasure';
import { erasuresQuery } from '../../api/erasures';
import { PagedList } from '../../components/paged-list';
import { Panel, PanelText } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatNoun } from '../../format/number';
import { actorLabel } from '../../labels/audit-labels';
import { ERASURE_LABELS } from '../../labels/erasure-labels';
import classes from './access-row.module.css';

/** What was erased, by whom and why. */
export function ErasuresPanel() {
  return (
    <Panel title="Erasures" flush>
      <PagedList
        query={useInfiniteQuery(erasuresQuery)}
        skeletonRows={1}
        empty={<PanelText>None. The page of an event or of an entity erases its content.</PanelText>}
      >
        {(erasures) => (
          <ul aria-label="Erasures">
            {erasures.map((erasure) => (
              <ErasureRow key={erasure.id} erasure={erasure} />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

function ErasureRow({ erasure }: { erasure: Erasure }) {
  const { event_id: event, entity, reason, requested_by: actor, events, state, created_at: at } = erasure;
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        {event === null ? (
          <strong>{entity ?? 'An event'}</strong>
        ) : (
          <Link to="/events/$id" params={{ id: event }}>
            {event}
          </Link>
        )}
        <span className={classes.muted}>{formatNoun(events, 'event')}</span>
      </div>
      <div className={classes.origin}>
        <bdi>{reason}</bdi>
        <span>{actorLabel(actor)}</span>
      </div>
      <div className={classes.times}>
        <StateBadge state={ERASURE_LABELS[state]} />
        <TimeAgo at={at} />
      </div>
    </li>
  );
}
