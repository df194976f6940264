import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { rejectionsQuery } from '../../api/rejections';
import { ActionOutcome } from '../../components/action-outcome';
import { PagedList } from '../../components/paged-list';
import { Panel, PanelText } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatCount } from '../../format/number';
import panel from '../../components/panel.module.css';
import { RejectionRow, type Resolution } from './rejection-row';

const EMPTY = {
  tone: 'ok',
  label: 'Quarantine is empty',
  description: 'No notifications with an invalid signature are stored',
} as const;

/** Notifications without a valid signature. */
export function QuarantinePanel() {
  const [resolved, setResolved] = useState<Resolution | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const rejections = useInfiniteQuery(rejectionsQuery);
  const dropped = rejections.data?.pages[0]?.dropped;
  return (
    <Panel title="Quarantine" id="quarantine" flush>
      <PanelText>
        Notifications with invalid signatures. They are rejected, never delivered, and kept (up to a limit)
        for inspection.
      </PanelText>
      {typeof dropped?.last_at === 'string' && (
        <PanelText>
          {formatCount(dropped.count)} more were dropped, most recently <TimeAgo at={dropped.last_at} />. The
          first ones of each hour are kept.
        </PanelText>
      )}
      <div className={panel.inset}>
        <ActionOutcome focusRef={outcome} done={resolved && <RecheckResult recheck={resolved} />} />
      </div>
      <PagedList
        query={rejections}
        skeletonRows={3}
        empty={
          <PanelText>
            <StateBadge state={EMPTY} />
          </PanelText>
        }
      >
        {(rows) => (
          <ul>
            {rows.map((rejection) => (
              <RejectionRow
                key={rejection.id}
                rejection={rejection}
                onResolved={(recheck) => {
                  setResolved(recheck);
                  // The row disappears with its button.
                  outcome.current?.focus();
                }}
              />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

function RecheckResult({ recheck: { sentence, event_id: id } }: { recheck: Resolution }) {
  return (
    <>
      {sentence}{' '}
      {id !== null && (
        <Link to="/events/$id" params={{ id }}>
          View event
        </Link>
      )}
    </>
  );
}
