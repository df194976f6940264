import { IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { RecheckOutcome } from '../../../../src/contract/rejection';
import { rejectionsQuery } from '../../api/rejections';
import { ActionOutcome } from '../../components/action-outcome';
import { EmptyNote } from '../../components/empty-note';
import { PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { TimeAgo } from '../../components/time-ago';
import { formatCount } from '../../format/number';
import classes from './quarantine-panel.module.css';
import { RejectionRow } from './rejection-row';

/** Notifications that came to the right address, but that no signature proved. */
export function QuarantinePanel() {
  const [accepted, setAccepted] = useState<RecheckOutcome | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const rejections = useInfiniteQuery(rejectionsQuery);
  const dropped = rejections.data?.pages[0]?.dropped;
  return (
    <Panel title="Quarantine" flush>
      <p className={classes.lead}>
        Notifications with invalid signatures. They are rejected, never delivered, and kept (up to a limit)
        for inspection.
      </p>
      {typeof dropped?.last_at === 'string' && (
        <p className={classes.lead}>
          {formatCount(dropped.count)} more were dropped, most recently <TimeAgo at={dropped.last_at} />. The
          first ones of each hour are kept.
        </p>
      )}
      <div className={classes.outcome}>
        <ActionOutcome focusRef={outcome} done={accepted && <RecheckResult recheck={accepted} />} />
      </div>
      <PagedList
        query={rejections}
        skeletonRows={3}
        empty={
          <EmptyNote title="Quarantine is empty" icon={<IconShieldCheck size={22} stroke={1.6} />}>
            <p>Every notification so far had a valid signature.</p>
          </EmptyNote>
        }
      >
        {(rows) => (
          <ul>
            {rows.map((rejection) => (
              <RejectionRow
                key={rejection.id}
                rejection={rejection}
                rechecked={(recheck) => {
                  setAccepted(recheck);
                  // Its row goes, and the button with it.
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

function RecheckResult({ recheck: { sentence, event_id: id } }: { recheck: RecheckOutcome }) {
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
