import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, type RefObject } from 'react';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import type { EventTail, TailView } from '../../live/event-tail';
import classes from './tail-list.module.css';
import { TailEmpty } from './tail-empty';
import { TailRow } from './tail-row';
import { useVisibleRows } from './use-visible-rows';

interface TailListProps {
  tail: EventTail;
  view: TailView;
  list: RefObject<HTMLDivElement | null>;
  look: (first: number, last: number) => void;
  activeId: string | null;
  choose: (id: string | null) => void;
}

const ROW = { wide: 36, narrow: 58 };
/** The heads of the columns stay at the top; a phone has no columns. */
const HEAD = { wide: 28, narrow: 0 };
const NEAR_END = 20;
/** How long a resting pointer keeps the rows still, so that a click meets the row it was meant for. */
const POINTED_MS = 2_500;

/** The rows that are in sight, of however many there are. */
export function TailList({ tail, view, list, look, activeId, choose }: TailListProps) {
  const narrow = useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false });
  const size = narrow ? ROW.narrow : ROW.wide;
  const head = narrow ? HEAD.narrow : HEAD.wide;
  const { rows } = view;
  const active = rows.findIndex(({ id }) => id === activeId);
  const { inSight, height, reveal } = useVisibleRows({
    rows,
    active,
    size,
    head,
    list,
    offset: tail.place.offset,
  });
  useEffect(() => {
    if (active !== -1) reveal(active);
  }, [reveal, active]);

  // The chosen row may be far from the others.
  const around = inSight.filter(({ index }) => index !== active);
  const first = around[0]?.index ?? 0;
  const last = around.at(-1)?.index ?? 0;
  useEffect(() => look(first, last), [look, first, last]);
  useEffect(() => {
    if (view.hasOlder && last > rows.length - NEAR_END) void tail.loadOlder();
  }, [tail, last, rows.length, view.hasOlder]);

  const pointing = usePointing(tail);
  if (view.phase === 'failed') {
    return (
      <div className={classes.note}>
        <ErrorNote error={view.error} retry={() => void tail.catchUp()} />
      </div>
    );
  }
  if (view.phase === 'loading') return <LoadingRows count={8} />;
  if (rows.length === 0) return <TailEmpty />;
  return (
    <div
      ref={list}
      className={classes.scroll}
      data-tail
      onScroll={({ currentTarget: { scrollTop } }) => {
        tail.remember({ offset: scrollTop });
        tail.hold('scrolled', scrollTop > size / 2);
      }}
      {...pointing}
    >
      <div className={classes.columns} aria-hidden>
        <span>Received</span>
        <span>Type</span>
        <span>Entity</span>
        <span>Name</span>
        <span>Size</span>
        <span>Status</span>
      </div>
      <ol className={classes.rows} style={{ height: height }}>
        {inSight.map(({ index, start, key }) => {
          const event = rows[index];
          if (event === undefined) return null;
          const tabbable = active === -1 ? index === 0 : index === active;
          return (
            <li
              key={key}
              className={classes.place}
              aria-posinset={index + 1}
              aria-setsize={view.hasOlder ? -1 : rows.length}
              style={{ height: size, transform: `translateY(${start - head}px)` }}
            >
              <TailRow event={event} active={index === active} tabbable={tabbable} choose={choose} />
            </li>
          );
        })}
      </ol>
      {!view.hasOlder && <p className={classes.end}>The first event that is kept.</p>}
      {view.hasOlder && !view.loadingOlder && view.error !== null && (
        <p className={classes.end}>
          Older events could not be read. <Button onClick={() => void tail.loadOlder()}>Try again</Button>
        </p>
      )}
    </div>
  );
}

/** Holds the rows still while a mouse moves over them. */
function usePointing(tail: EventTail) {
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const leave = () => {
    clearTimeout(rest.current);
    tail.hold('pointed', false);
  };
  return {
    onPointerMove: ({ pointerType }: { pointerType: string }) => {
      if (pointerType !== 'mouse') return;
      clearTimeout(rest.current);
      tail.hold('pointed', true);
      rest.current = setTimeout(leave, POINTED_MS);
    },
    onPointerLeave: leave,
  };
}
