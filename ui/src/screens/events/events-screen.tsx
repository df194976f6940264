import { Button, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowUp, IconDownload, IconRepeat } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { EventSearch } from '../../api/events';
import { useSelectedRow } from '../../features/event-list/use-selected-row';
import { useDocumentTitle } from '../../components/screen';
import { useShortcuts } from '../../components/use-shortcuts';
import { eventsSearch, toReplaySearch } from '../../search/events-search';
import { formatCount, formatNoun } from '../../format/number';
import { ReplayDialog } from '../event/replay-dialog';

import { EventsFilter } from './events-filter';
import classes from './events-screen.module.css';
import { ExportProgress } from './export-progress';
import { FilterChips } from './filter-chips';
import { FoundList } from './found-list';
import { useExport } from './use-export';
import { useFoundEvents } from './use-found-events';

const route = getRouteApi('/inside/events');

/** Every event that is kept: searched, opened, exported, replayed. What is searched for stands in the address. */
export function EventsScreen() {
  useDocumentTitle('Events');
  const filter = route.useSearch();
  const navigate = useNavigate();
  const narrow = (search: EventSearch) =>
    void navigate({ to: '/events', search: eventsSearch({ ...search }) });
  const found = useFoundEvents(filter);
  const { rows, newer, place, pages, remember } = found;
  const { activeId, choose, move, letGo } = useSelectedRow({
    rows,
    list: place.queriedAt,
    savedId: place.activeId,
    save: (id) => remember({ activeId: id }),
  });
  const field = useRef<HTMLInputElement>(null);
  const [replaying, { open, close }] = useDisclosure(false);
  const chosen = rows.find(({ id }) => id === activeId);
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Escape: letGo,
    r: () => {
      if (chosen !== undefined) open();
    },
    n: found.again,
    '/': () => field.current?.focus(),
  });
  const work = useExport();
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
            <Button
              leftSection={<IconRepeat size={14} aria-hidden />}
              renderRoot={(props) => <Link to="/replays/new" search={replay} {...props} />}
            >
              {filtered ? 'Replay these' : 'Replay'}
            </Button>
          )}
          <Button
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-disabled={work.status === 'pending' || undefined}
            onClick={() => {
              if (work.status !== 'pending') work.start(filter);
            }}
          >
            {filtered ? 'Export these' : 'Export all'}
          </Button>
        </div>
      </div>
      <EventsFilter filter={filter} narrow={narrow} field={field} />
      <FilterChips filter={filter} narrow={narrow} />
      <ExportProgress work={work} />
      <VisuallyHidden aria-live="polite">
        {pages.isSuccess &&
          !pages.isPlaceholderData &&
          `${formatNoun(rows.length, 'event')}${pages.hasNextPage ? ' or more' : ''} found`}
      </VisuallyHidden>
      <section className={classes.list} aria-label="Results">
        <FoundList
          key={place.queriedAt}
          found={found}
          filtered={filtered}
          activeId={activeId}
          select={choose}
        />
        <Button
          variant="filled"
          className={classes.newer}
          data-shown={newer > 0 || undefined}
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={found.again}
        >
          Show {formatCount(newer)}
          {found.hasMoreNewer ? ' or more' : ''} newer {newer === 1 ? 'event' : 'events'}
        </Button>
      </section>
      {chosen !== undefined && <ReplayDialog event={chosen} opened={replaying} close={close} />}
    </div>
  );
}
