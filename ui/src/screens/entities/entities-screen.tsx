import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { entityCounts, entityLists, exportEntities, type EntitySearch } from '../../api/entities';
import { notifyFailure } from '../../components/notify-failure';
import panel from '../../components/panel.module.css';
import { saveFile } from '../../components/save-file';
import { Screen } from '../../components/screen';
import { useRowKeys } from '../../components/use-row-keys';
import { useShortcuts } from '../../components/use-shortcuts';
import { ColumnsMenu } from '../../features/list-filter/columns-menu';
import { FilterChips, payloadChips } from '../../features/list-filter/filter-chips';
import { SavedViewsMenu } from '../../features/saved-views/saved-views-menu';
import { useRefresh } from '../../live/use-refresh';
import { entitiesSearch } from '../../search/entities-search';
import { ChangedList } from './changed-list';
import { EntitiesFilter } from './entities-filter';
import { EntityList } from './entity-list';
import { KindTabs } from './kind-tabs';

const route = getRouteApi('/signed-in/entities');

const LISTS_EVERY_MS = 1_000;
/** To count them all takes up to a second. */
const COUNTS_EVERY_MS = 10_000;

/** What the stored events tell of each entity: now, at an earlier time, or what has changed in between. */
export function EntitiesScreen() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/entities' });
  const change = (part: EntitySearch) =>
    void navigate({ search: (before) => entitiesSearch({ ...before, ...part }), replace: true });
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useRowKeys(list);
  useShortcuts({ '/': () => field.current?.focus() });
  // An earlier state does not change any more.
  const isAbout = ({ entity }: { entity: string | null }) => search.as_of === undefined && entity !== null;
  useRefresh(entityLists, { everyMs: LISTS_EVERY_MS, isAbout });
  useRefresh(entityCounts, { everyMs: COUNTS_EVERY_MS, isAbout });
  const isComparing = search.from !== undefined;
  return (
    <Screen
      title="Entities"
      heading={
        <>
          <h1>Entities</h1>
          <SavedViewsMenu screen="/entities" search={search} parse={entitiesSearch} />
        </>
      }
      lead="The latest known record of each deal, contact and task: now, at an earlier time, or what changed in between."
      actions={
        <>
          <ColumnsMenu
            columns={search.column ?? []}
            types={search.kind === undefined ? undefined : [`${search.kind}.*`]}
            onChange={(column) => change({ column })}
          />
          {!isComparing && <ExportButton search={search} />}
        </>
      }
    >
      <EntitiesFilter search={search} change={change} field={field} />
      <FilterChips chips={payloadChips(search.payload)} change={change} none={{ payload: undefined }} />
      <KindTabs search={search} />
      <div ref={list} className={panel.panel}>
        {isComparing ? <ChangedList search={search} /> : <EntityList search={search} />}
      </div>
    </Screen>
  );
}

function ExportButton({ search }: { search: EntitySearch }) {
  const save = useMutation({
    mutationFn: async () => {
      const name = `entities-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.csv`;
      saveFile(await exportEntities(search), name);
    },
    onError: notifyFailure('Could not export the entities'),
  });
  return (
    <Button
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      Export CSV
    </Button>
  );
}
