import { Button, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowUp, IconDownload, IconRepeat } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { EventSearch } from '../../api/events';
import { useSelectedRow } from '../../features/event-list/use-selected-row';
import { GuardedButton } from '../../components/guarded-button';
import { useDocumentTitle } from '../../components/screen';
import { useShortcuts } from '../../components/use-shortcuts';
import { eventsSearch, toReplaySearch } from '../../search/events-search';
import { formatCount, formatNoun } from '../../format/number';
import { ReplayDialog } from '../../features/replays/replay-dialog';

import { EventsFilter } from './events-filter';
import classes from './events-screen.module.css';
import { ExportProgress } from './export-progress';
import { FilterChips } from './filter-chips';
import { FoundList } from './found-list';
import { useExport } from './use-export';
import { useFoundEvents } from './use-found-events';

const route = getRouteApi('/signed-in/events');

/** Search, export and replay of all stored events. The filter is part of the URL. */
export function EventsScreen() {
  useDocumentTitle('Events');
  const filter = route.useSearch();
  const navigate = useNavigate();
  const narrow = (search: EventSearch) =>
    void navigate({ to: '/events', search: eventsSearch({ ...search }) });
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
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Escape: clear,
    r: () => {
      if (selected !== undefined) open();
    },
    n: found.reload,
    '/': () => field.current?.focus(),
  });
  const dataExport = useExport();
  const replay = toReplaySearch(filter);
  const filtered = Object.keys(filter).length > 0;
  return (
    <div className={classes.screen}>
      <div className={classes.head}>
        <h1>Events</h1>
        <div className={classes.actions}>
          {replay === null ? (
            <Button disabled title="These events matched no target, so there are no deliveries to replay.">
              Replay these
            </Button>
          ) : (
            <GuardedButton
              leftSection={<IconRepeat size={14} aria-hidden />}
              renderRoot={(props) => <Link to="/replays/new" search={replay} {...props} />}
            >
              {filtered ? 'Replay these' : 'Replay'}
            </GuardedButton>
          )}
          <Button
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-disabled={dataExport.status === 'pending' || undefined}
            onClick={() => {
              if (dataExport.status !== 'pending') dataExport.start(filter);
            }}
          >
            {filtered ? 'Export these' : 'Export all'}
          </Button>
        </div>
      </div>
      <EventsFilter filter={filter} narrow={narrow} field={field} />
      <FilterChips filter={filter} narrow={narrow} />
      <ExportProgress dataExport={dataExport} />
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
          activeId={activeId}
          select={select}
        />
        <Button
          variant="filled"
          className={classes.newer}
          data-shown={newer > 0 || undefined}
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={found.reload}
        >
          Show {formatCount(newer)}
          {found.hasMoreNewer ? ' or more' : ''} newer {newer === 1 ? 'event' : 'events'}
        </Button>
      </section>
      {selected !== undefined && <ReplayDialog event={selected} opened={replaying} close={close} />}
    </div>
  );
}
