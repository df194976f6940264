import { VisuallyHidden } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { SystemEventsChip } from '../../features/event-list/system-events-chip';
import { NewerButton } from '../../features/event-list/newer-button';
import { useSelectedRow } from '../../features/event-list/use-selected-row';
import { ColumnsMenu } from '../../features/list-filter/columns-menu';
import { useTargetNames } from '../../features/targets/use-target-names';
import { GuardedButton } from '../../components/guarded-button';
import { useDocumentTitle } from '../../components/screen';
import { useShortcuts } from '../../components/use-shortcuts';
import { eventsSearch, toReplaySearch, whyNoReplay } from '../../search/events-search';
import { formatCount, formatNoun } from '../../format/number';
import { ReplayDialog } from '../../features/replays/replay-dialog';
import { SavedViewsMenu } from '../../features/saved-views/saved-views-menu';
import { EventPreview } from './event-preview';
import { EventsFilter } from './events-filter';
import classes from './events-screen.module.css';
import { ExportMenu } from './export-menu';
import { ExportProgress } from './export-progress';
import { FilterBar } from './filter-bar';
import { FoundList } from './found-list';
import { Histogram } from './histogram';
import { SelectionBar } from './selection-bar';
import { useEnterResults } from './use-enter-results';
import { useExport } from './use-export';
import { useFoundEvents } from './use-found-events';
import { useMarkedEvents } from './use-marked-events';

const route = getRouteApi('/signed-in/events');

/** Search, export and replay of all stored events. The filter is part of the URL. */
export function EventsScreen() {
  useDocumentTitle('Events');
  const filter = route.useSearch();
  const navigate = useNavigate({ from: '/events' });
  const openEvent = useNavigate();
  // Based on the current URL: two fields may change before this screen is rendered again.
  const change = (part: object) =>
    void navigate({ search: (before) => eventsSearch({ ...before, ...part }) });
  const found = useFoundEvents(filter);
  const { rows, newer, position, pages, savePosition } = found;
  const { activeId, select, move, clear } = useSelectedRow({
    rows,
    list: position.queriedAt,
    savedId: position.activeId,
    save: (id) => savePosition({ activeId: id }),
  });
  const field = useRef<HTMLInputElement>(null);
  const [replaying, { open, close }] = useDisclosure(false);
  const selected = rows.find(({ id }) => id === activeId);
  const hasRoom = useMediaQuery('(min-width: 1024px)', undefined, { getInitialValueInEffect: false });
  const [previewing, setPreviewing] = useState(false);
  const isPreviewShown = hasRoom && previewing && selected !== undefined;
  const selection = useMarkedEvents();
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ' ': () => setPreviewing(!previewing),
    x: () => {
      if (selected !== undefined) selection.toggle(selected);
    },
    Escape: () => (isPreviewShown ? setPreviewing(false) : clear()),
    r: () => {
      if (selected !== undefined) open();
    },
    n: found.reload,
    '/': () => field.current?.focus(),
  });
  const firstId = rows[0]?.id;
  const enterResults = useEnterResults({
    shownText: pages.isSuccess && !pages.isPlaceholderData ? (filter.q ?? '') : undefined,
    enter: useCallback(() => {
      if (firstId !== undefined) select(firstId);
    }, [firstId, select]),
    open: useCallback(() => {
      if (firstId === undefined) return;
      void openEvent({ to: '/events/$id', params: { id: firstId }, state: { cameFrom: '/events' } });
    }, [firstId, openEvent]),
  });
  const dataExport = useExport();
  const nameOf = useTargetNames();
  const replay = toReplaySearch(filter);
  const { system: _system, column: columns = [], ...conditions } = filter;
  const filtered = Object.keys(conditions).length > 0;
  const isEmpty = pages.isSuccess && !pages.isPlaceholderData && rows.length === 0 && !pages.hasNextPage;
  return (
    <div className={classes.screen}>
      <div className={classes.head}>
        <div className={classes.title}>
          <h1>Events</h1>
          <SavedViewsMenu screen="/events" search={filter} parse={eventsSearch} />
        </div>
        <div className={classes.actions}>
          <SystemEventsChip
            shown={filter.system === 'shown'}
            onChange={(shown) => change({ system: shown ? 'shown' : undefined })}
          />
          <span className={classes.columns}>
            <ColumnsMenu columns={columns} types={filter.type} onChange={(column) => change({ column })} />
          </span>
          {replay === null || isEmpty ? (
            <GuardedButton because={isEmpty ? 'No events match.' : (whyNoReplay(filter) ?? false)}>
              {filtered ? 'Replay these' : 'Replay'}
            </GuardedButton>
          ) : (
            <GuardedButton
              leftSection={<IconHistory size={14} aria-hidden />}
              renderRoot={(props) => (
                <Link
                  to="/replays/new"
                  search={filtered ? { ...replay, step: 'start' } : replay}
                  {...props}
                />
              )}
            >
              {filtered ? 'Replay these' : 'Replay'}
            </GuardedButton>
          )}
          <ExportMenu
            filter={filter}
            label={filtered ? 'Export these' : 'Export all'}
            queriedAt={position.queriedAt}
            rows={rows}
            disabled={isEmpty || dataExport.status === 'pending'}
            start={(format) => dataExport.start({ filter, format })}
          />
        </div>
      </div>
      <EventsFilter filter={filter} change={change} field={field} enterResults={enterResults} />
      <FilterBar filter={filter} change={change} />
      <Histogram
        filter={filter}
        queriedAt={position.queriedAt}
        enabled={pages.isSuccess && !pages.isPlaceholderData}
        narrow={(range) => change({ range: undefined, ...range })}
      />
      <ExportProgress dataExport={dataExport} />
      <SelectionBar
        events={selection.marked}
        isFull={selection.isFull}
        queriedAt={position.queriedAt}
        exporting={dataExport.status === 'pending'}
        exportThese={(these, format) => dataExport.start({ filter: these, format })}
        clear={selection.clear}
      />
      <VisuallyHidden aria-live="polite">
        {pages.isSuccess &&
          !pages.isPlaceholderData &&
          `${formatNoun(rows.length, 'event')}${pages.hasNextPage ? ' or more' : ''} found`}
      </VisuallyHidden>
      <section className={classes.list} aria-label="Results">
        <FoundList
          key={position.queriedAt}
          found={found}
          filtered={filtered}
          newAbove={position.newestSeen}
          statusAt={filter.target && nameOf(filter.target)}
          columns={columns}
          marked={selection.marked.map(({ id }) => id)}
          toggleMark={selection.toggle}
          activeId={activeId}
          select={select}
          narrow={isPreviewShown}
          preview={
            hasRoom
              ? (id) => {
                  select(id);
                  setPreviewing(true);
                }
              : undefined
          }
        />
        {isPreviewShown && (
          <EventPreview
            event={selected}
            marked={selection.has(selected.id)}
            toggleMark={() => selection.toggle(selected)}
            close={() => setPreviewing(false)}
          />
        )}
        <NewerButton shown={newer > 0} show={found.reload}>
          Show {formatCount(newer)}
          {found.hasMoreNewer ? ' or more' : ''} newer {newer === 1 ? 'event' : 'events'}
        </NewerButton>
      </section>
      {selected !== undefined && <ReplayDialog event={selected} opened={replaying} close={close} />}
    </div>
  );
}
