import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { useSelectedRow } from '../../features/event-list/use-selected-row';
import { useDocumentTitle } from '../../components/screen';
import { useShortcuts } from '../../components/use-shortcuts';
import type { EventTail, TailView } from '../../live/event-tail';
import { useEventTail } from '../../live/use-event-tail';
import classes from './live-screen.module.css';
import { TailBar } from './tail-bar';
import { TailList } from './tail-list';

const route = getRouteApi('/inside/live');

/** What is arriving, as it arrives. */
export function LiveScreen() {
  useDocumentTitle('Live');
  const filter = route.useSearch();
  const { tail, view, setVisible } = useEventTail(filter);
  const { activeId, choose, move, letGo } = useTailSelection(tail, view);
  const filterField = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const paused = view.holdReasons.has('paused');
  const togglePause = () => tail.hold('paused', !paused);
  const showNew = () => {
    letGo();
    list.current?.scrollTo({ top: 0 });
    tail.hold('scrolled', false);
    tail.hold('pointed', false);
    tail.release();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Escape: letGo,
    p: togglePause,
    n: showNew,
    '/': () => filterField.current?.focus(),
  });

  return (
    <div className={classes.screen}>
      <h1 className={classes.title}>Live events</h1>
      <section className={classes.tail} aria-label="Events">
        <TailBar
          filter={filter}
          field={filterField}
          view={view}
          paused={paused}
          togglePause={togglePause}
          showNew={showNew}
        />
        <TailList
          key={JSON.stringify(filter)}
          tail={tail}
          view={view}
          list={list}
          setVisible={setVisible}
          activeId={activeId}
          select={choose}
        />
      </section>
    </div>
  );
}

/** While a row is chosen, new ones wait, so that it stays where it is. */
function useTailSelection(tail: EventTail, { rows }: TailView) {
  const remember = useCallback(
    (activeId: string | null) => {
      tail.savePosition({ activeId });
      tail.hold('selected', activeId !== null);
    },
    [tail],
  );
  return useSelectedRow({ rows, list: tail, savedId: tail.position.activeId, save: remember });
}
