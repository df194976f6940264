import { Button, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowUp, IconDownload, IconRepeat } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { EventSearch } from '../../api/events';
import { useDocumentTitle } from '../../components/screen';
import { useShortcuts } from '../../components/use-shortcuts';
import { eventsSearch, replayOf } from '../../events-search';
import { formatCount, formatNoun } from '../../text/format-number';
import { ReplayDialog } from '../event/replay-dialog';
import { EventList } from './event-list';
import { EventsFilter } from './events-filter';
import classes from './events-screen.module.css';
import { ExportProgress } from './export-progress';
import { FilterChips } from './filter-chips';
import { useExport } from './use-export';
import { useFoundEvents, type FoundEvents } from './use-found-events';

const route = getRouteApi('/inside/events');

/** Every event that is kept: searched, opened, exported, replayed. What is searched for stands in the address. */
export function EventsScreen() {
  useDocumentTitle('Events');
  const filter = route.useSearch();
  const navigate = useNavigate();
  const narrow = (search: EventSearch) =>
    void navigate({ to: '/events', search: eventsSearch({ ...search }) });
  const found = useFoundEvents(filter);
  const { rows, newer, place, pages } = found;
  const { activeId, choose, move, letGo } = useChosen(found);
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
  const replay = replayOf(filter);
  const filtered = Object.keys(filter).length > 0;
  return (
    <div className={classes.screen}>
      <div className={classes.head}>
        <h1>Events</h1>
        <div className={classes.acts}>
          {replay === null ? (
            <Button disabled title="They went to no target, so there is no delivery to make again.">
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
          `${formatNoun(rows.length, 'event')}${pages.hasNextPage ? ' and more' : ''} found`}
      </VisuallyHidden>
      <section className={classes.list} aria-label="Found">
        <EventList key={place.asked} found={found} filtered={filtered} activeId={activeId} choose={choose} />
        <Button
          variant="filled"
          className={classes.newer}
          data-shown={newer > 0 || undefined}
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={found.again}
        >
          {formatCount(newer)}
          {found.hasMoreNewer ? ' or more' : ''} newer {newer === 1 ? 'event' : 'events'}: show
        </Button>
      </section>
      {chosen !== undefined && <ReplayDialog event={chosen} opened={replaying} close={close} />}
    </div>
  );
}

/** The row that the keyboard is at. */
function useChosen({ rows, place, remember }: FoundEvents) {
  const [chosen, setChosen] = useState({ asked: place.asked, id: place.activeId });
  const activeId = chosen.asked === place.asked ? chosen.id : place.activeId;
  const choose = (id: string | null) => {
    remember({ activeId: id });
    setChosen({ asked: place.asked, id });
  };
  const move = (steps: 1 | -1) => {
    const at = rows.findIndex(({ id }) => id === activeId);
    const next = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + steps))];
    if (next !== undefined) choose(next.id);
  };
  const letGo = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    choose(null);
  };
  return { activeId, choose, move, letGo };
}
