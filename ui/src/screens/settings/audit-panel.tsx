import { Button, VisuallyHidden } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { auditLogQuery } from '../../api/audit';
import type { AuditFilter } from '../../audit-search';
import { EmptyNote } from '../../components/empty-note';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { formatNoun } from '../../text/format-number';
import { AuditFilters } from './audit-filters';
import classes from './audit-panel.module.css';
import { AuditRow } from './audit-row';

/** Every change and every secret shown, newest first; what it is narrowed to stands in the address. */
export function AuditPanel() {
  const filter = useSearch({ from: '/inside/settings' });
  const navigate = useNavigate();
  const narrow = (search: AuditFilter) =>
    void navigate({ to: '/settings', search, replace: true, resetScroll: false });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditLogQuery(filter),
  );
  const entries = data?.pages.flatMap((page) => page.data);
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <div id="audit-log" className={classes.place}>
      <Panel
        title="Audit log"
        flush
        aside={
          isNarrowed && (
            <Button variant="subtle" onClick={() => narrow({})}>
              Show everything
            </Button>
          )
        }
      >
        <p className={classes.lead}>
          Every change and every secret shown: by whom, on what, from where. The newest 100,000 are kept.
        </p>
        <AuditFilters filter={filter} narrow={narrow} />
        <VisuallyHidden aria-live="polite">
          {entries !== undefined && `${formatNoun(entries.length, 'entry', 'entries')} shown`}
        </VisuallyHidden>
        {entries === undefined && error === null && <LoadingRows count={5} />}
        {entries === undefined && error !== null && (
          <div className={classes.error}>
            <ErrorNote error={error} retry={() => void refetch()} />
          </div>
        )}
        {entries?.length === 0 && (
          <EmptyNote title="Nothing to show" icon={<IconListCheck size={22} stroke={1.6} />}>
            <p>{isNarrowed ? 'Nothing like this was done.' : 'Nothing was changed yet.'}</p>
          </EmptyNote>
        )}
        <ul aria-label="Entries">
          {entries?.map((entry) => (
            <AuditRow key={entry.id} entry={entry} />
          ))}
        </ul>
        {hasNextPage && (
          <div className={classes.more}>
            <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older
            </Button>
          </div>
        )}
      </Panel>
    </div>
  );
}
