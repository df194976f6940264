import { Button, VisuallyHidden } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { auditLogQuery, type AuditFilter } from '../../api/audit';
import { EmptyNote } from '../../components/empty-note';
import { itemsOf, PagedList } from '../../components/paged-list';
import { Panel, PanelText } from '../../components/panel';
import { formatNoun } from '../../format/number';
import { AuditFilters } from './audit-filters';
import classes from './audit-panel.module.css';
import { AuditRow } from './audit-row';

/** The audit log, newest first. Its filter is part of the URL. */
export function AuditPanel() {
  const filter = useSearch({ from: '/signed-in/settings' });
  const navigate = useNavigate();
  const narrow = (search: AuditFilter) =>
    void navigate({ to: '/settings', search, replace: true, resetScroll: false });
  const query = useInfiniteQuery(auditLogQuery(filter));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div id="audit-log" className={classes.place}>
      <Panel
        title="Audit log"
        flush
        aside={
          isFiltered && (
            <Button variant="subtle" onClick={() => narrow({})}>
              Clear filters
            </Button>
          )
        }
      >
        <PanelText>
          Every change and every time a secret was shown: who, what and from where. The newest 100,000 entries
          are kept.
        </PanelText>
        <AuditFilters filter={filter} narrow={narrow} />
        <VisuallyHidden aria-live="polite">
          {query.data !== undefined && `${formatNoun(itemsOf(query.data).length, 'entry', 'entries')} shown`}
        </VisuallyHidden>
        <PagedList
          query={query}
          skeletonRows={5}
          empty={
            <EmptyNote title="No entries" icon={<IconListCheck size={22} stroke={1.6} />}>
              <p>{isFiltered ? 'No entries match the filters.' : 'Nothing has been changed yet.'}</p>
            </EmptyNote>
          }
        >
          {(entries) => (
            <ul aria-label="Entries">
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </ul>
          )}
        </PagedList>
      </Panel>
    </div>
  );
}
