import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useRef, useState } from 'react';
import { statsQuery } from '../../api/stats';
import { fromStats } from '../../features/traffic-chart/traffic-view';
import { formatRate } from '../../format/number';
import { useSelectedRow } from '../../features/event-list/use-selected-row';
import { useDocumentTitle } from '../../components/screen';
import { useShortcuts } from '../../components/use-shortcuts';
import type { EventTail } from '../../live/event-tail';
import type { TailView } from '../../live/tail-view';
import { useEventTail } from '../../live/use-event-tail';
import { withTyped } from '../../search/live-search';
import classes from './live-screen.module.css';
import { TailBar } from './tail-bar';
import { TailList } from './tail-list';

const route = getRouteApi('/signed-in/live');

const TYPING_PAUSE_MS = 300;

/** New events as they arrive. */
export function LiveScreen() {
  useDocumentTitle('Live');
  const search = route.useSearch();
  const [typed, setTyped] = useState('');
  const [settledText] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  const filter = withTyped(search, settledText);
  const { tail, view, setVisible } = useEventTail(filter);
  const { activeId, select, move, clear } = useTailSelection(tail, view);
  const filterField = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const paused = view.holdReasons.has('paused');
  const togglePause = () => tail.hold('paused', !paused);
  const showNew = () => {
    clear();
    list.current?.scrollTo({ top: 0 });
    tail.hold('scrolled', false);
    tail.hold('pointed', false);
    tail.release();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Escape: clear,
    p: togglePause,
    n: showNew,
    '/': () => filterField.current?.focus(),
  });

  return (
    <div className={classes.screen}>
      <div className={classes.head}>
        <h1>Live</h1>
        <Rate />
      </div>
      <section className={classes.tail} aria-label="Events">
        <TailBar
          filter={search}
          typed={typed}
          setTyped={setTyped}
          field={filterField}
          view={view}
          paused={paused}
          togglePause={togglePause}
          showNew={showNew}
        />
        <TailList
          key={JSON.stringify(filter)}
          filter={filter}
          tail={tail}
          view={view}
          list={list}
          setVisible={setVisible}
          activeId={activeId}
          select={select}
        />
      </section>
    </div>
  );
}

/** How many events arrive, of all types. */
function Rate() {
  const { data: stats } = useQuery(statsQuery);
  const last = stats === undefined ? undefined : fromStats(stats).steps.at(-1);
  if (last === undefined) return null;
  return (
    <span className={classes.rate} title="All of Co-Pilot’s events, over the last 5 seconds">
      {formatRate(last.events / last.seconds)} events/s
    </span>
  );
}

/** The selection; new rows are held while a row is selected, so that it does not move. */
function useTailSelection(tail: EventTail, { rows }: TailView) {
  const savePosition = useCallback(
    (activeId: string | null) => {
      tail.savePosition({ activeId });
      tail.hold('selected', activeId !== null);
    },
    [tail],
  );
  return useSelectedRow({ rows, list: tail, savedId: tail.position.activeId, save: savePosition });
}
