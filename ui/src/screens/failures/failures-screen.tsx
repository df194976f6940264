import { Button } from '@mantine/core';
import { IconHeartbeat, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, type CSSProperties } from 'react';
import type { DeadLetterCause } from '@contract/dead-letter';
import {
  deadLetterCausesQuery,
  deliveryJobsQuery,
  isRunning,
  type DeadLetterFilter,
} from '../../api/dead-letters';
import { ActionOutcome } from '../../components/action-outcome';
import { DiscardDialog } from '../../features/dead-letters/discard-dialog';
import { RetryDialog } from '../../features/dead-letters/retry-dialog';
import { SavedViewsMenu } from '../../features/saved-views/saved-views-menu';
import { EmptyNote } from '../../components/empty-note';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { useRowKeys } from '../../components/use-row-keys';
import panel from '../../components/panel.module.css';
import { BulkBar } from './bulk-bar';
import { CauseGroup } from './cause-group';
import screen from '../../components/screen.module.css';
import { formatCount } from '../../format/number';
import { resolveTimeRange } from '../../format/time-range';
import { failuresSearch, type FailuresSearch } from '../../search/failures-search';
import { FailuresFilter } from './failures-filter';
import { JobList } from './job-list';
import { useDeadLetterActions } from './use-dead-letter-actions';

const route = getRouteApi('/signed-in/failures');

/** The dead letters, grouped by target and error. */
export function FailuresScreen() {
  const search = route.useSearch();
  const filter = useFilter(search);
  const list = useRef<HTMLDivElement>(null);
  const actions = useDeadLetterActions(list);
  // What a dialog asks about stays as it is while it is open.
  const frozen = actions.open || actions.retrying;
  const query = useQuery({ ...deadLetterCausesQuery(filter), enabled: !frozen });
  const { data: causes } = query;
  const [openCauses, toggle] = useOpenCauses(causes ?? []);
  useRowKeys(list);
  const filtered = Object.keys(search).length > 0;
  const total = causes?.reduce((sum, { deliveries }) => sum + deliveries, 0) ?? 0;
  const busy = useQuery(deliveryJobsQuery).data?.some(isRunning) ?? false;
  return (
    <Screen
      title="Failures"
      heading={
        <>
          <h1>Failures</h1>
          <SavedViewsMenu screen="/failures" search={search} parse={failuresSearch} />
        </>
      }
      lead="Dead letters: deliveries that are not retried automatically. Each stays here until you retry or discard it."
    >
      {(filtered || total > 0) && <FailuresFilter filter={search} resolved={filter} frozen={frozen} />}
      <JobList startedHere={actions.jobs} dismiss={actions.dismissJob} />
      <ActionOutcome done={actions.message} error={actions.error} />
      {causes !== undefined && total > 0 && (
        <BulkBar causes={causes} busy={busy} filter={filter} actions={actions} />
      )}
      <div ref={list} tabIndex={-1} className={screen.focusTarget}>
        <PendingData query={query} />
        {causes?.length === 0 && <NoDeadLetters filtered={filtered} />}
        {causes !== undefined && causes.length > 0 && (
          <ul className={panel.panel} style={countWidth(causes)}>
            {causes.map((cause) => (
              <CauseGroup
                key={keyOf(cause)}
                cause={cause}
                filter={filter}
                actions={actions}
                busy={busy}
                open={openCauses.has(keyOf(cause))}
                toggle={() => toggle(keyOf(cause))}
              />
            ))}
          </ul>
        )}
      </div>
      <DiscardDialog
        count={actions.discardRequest.count}
        selection={actions.discardRequest.selection}
        blockedLanes={actions.discardRequest.blockedLanes}
        opened={actions.open}
        close={actions.closeDialog}
        pending={actions.discard.isPending}
        error={actions.discard.error}
        discard={(reason) => actions.discard.mutate({ request: actions.discardRequest, reason })}
      />
      <RetryDialog
        request={actions.retryRequest}
        opened={actions.retrying}
        close={actions.closeRetry}
        pending={actions.retryMany.isPending}
        error={actions.retryMany.error}
        retry={() => actions.retryMany.mutate(actions.retryRequest.selection)}
        onSent={actions.refreshList}
      />
    </Screen>
  );
}

/** The filter of the API. A relative range of time is resolved when it is selected. */
function useFilter(search: FailuresSearch): DeadLetterFilter {
  const key = JSON.stringify(search);
  return useMemo(() => resolveNow(JSON.parse(key) as FailuresSearch), [key]);
}

const resolveNow = ({ range, since, until, ...others }: FailuresSearch): DeadLetterFilter => ({
  ...others,
  ...resolveTimeRange({ range, since, until }, Date.now()),
});

const keyOf = ({ target_id: target, error }: DeadLetterCause) => `${target} ${error}`;

/** The expanded causes. They are part of the history entry, so that they are expanded again when the user returns. */
function useOpenCauses(causes: readonly DeadLetterCause[]) {
  const navigate = useNavigate({ from: '/failures' });
  const saved = useLocation({ select: ({ state }) => state.openCauses });
  const open = new Set(saved ?? (causes.length === 1 ? causes.map(keyOf) : []));
  const toggle = (key: string) => {
    const others = [...open].filter((one) => one !== key);
    const openCauses = open.has(key) ? others : [...others, key];
    void navigate({ search: true, state: (before) => ({ ...before, openCauses }), replace: true });
  };
  return [open, toggle] as const;
}

/** The counts of all causes have the width of the longest, so that the titles beside them are aligned. */
const countWidth = (causes: readonly DeadLetterCause[]): CSSProperties => {
  const longest = Math.max(...causes.map(({ deliveries }) => formatCount(deliveries).length));
  return { '--count-width': `${longest}ch` } as CSSProperties;
};

function NoDeadLetters({ filtered }: { filtered: boolean }) {
  return (
    <div className={panel.panel}>
      {filtered ? (
        <EmptyNote title="No dead letters match" icon={<IconSearchOff size={22} stroke={1.6} />}>
          <Button renderRoot={(props) => <Link to="/failures" search={{}} {...props} />}>Clear filter</Button>
        </EmptyNote>
      ) : (
        <EmptyNote title="No failed deliveries" icon={<IconHeartbeat size={22} stroke={1.6} />}>
          <p>
            A failed delivery is retried: by default 8 attempts over about 12 hours, depending on the target’s
            settings. When the last attempt fails, the delivery appears here with the reason.
          </p>
          <p>
            A retry sends the same bytes with the same <code>webhook-id</code>, so a receiver that stores ids
            can ignore duplicates.
          </p>
        </EmptyNote>
      )}
    </div>
  );
}
