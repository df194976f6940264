import { useEffect, useRef, useState, type RefObject } from 'react';
import { EventList } from '../../features/event-list/event-list';
import { useVisibleRows } from '../../features/event-list/use-visible-rows';
import { PendingData } from '../../components/pending-data';
import type { EventFilter } from '../../api/events';
import type { EventTail } from '../../live/event-tail';
import type { TailView } from '../../live/tail-view';
import { TailEmpty } from './tail-empty';

interface TailListProps {
  filter: EventFilter;
  tail: EventTail;
  view: TailView;
  list: RefObject<HTMLDivElement | null>;
  setVisible: (first: number, last: number) => void;
  activeId: string | null;
  select: (id: string) => void;
}

const LOAD_AHEAD_ROWS = 20;
/** How long rows are held after the pointer moved, so that a click hits the intended row. */
const HOVER_HOLD_MS = 2_500;

/** The live list. New rows are held while they would move the rows that are being read. */
export function TailList(props: TailListProps) {
  const { filter, tail, view, list, setVisible, activeId, select } = props;
  const { rows, hasOlder } = view;
  const visible = useVisibleRows({ rows, activeId, list, offset: tail.position.offset });
  const newAbove = useFirstSeq(rows[0]?.seq, view.phase === 'ready');
  const { first, last, rowHeight } = visible;
  useEffect(() => setVisible(first, last), [setVisible, first, last]);
  useEffect(() => {
    if (hasOlder && last > rows.length - LOAD_AHEAD_ROWS) void tail.loadOlder();
  }, [tail, last, rows.length, hasOlder]);

  const hoverHandlers = useHoverHold(tail);
  if (view.phase !== 'ready') {
    const error = view.phase === 'failed' ? view.error : null;
    return <PendingData query={{ data: undefined, error, refetch: () => tail.catchUp() }} rows={8} flush />;
  }
  if (rows.length === 0) return <TailEmpty filter={filter} />;
  const failedToLoadOlder = hasOlder && !view.loadingOlder && view.error !== null;
  return (
    <EventList
      data-tail
      newAbove={newAbove}
      name="Live events"
      screen="/live"
      visible={visible}
      hasOlder={hasOlder}
      end={hasOlder ? null : 'No older events.'}
      retryOlder={failedToLoadOlder ? () => void tail.loadOlder() : undefined}
      select={select}
      onScroll={({ currentTarget: { scrollTop } }) => {
        tail.savePosition({ offset: scrollTop });
        tail.hold('scrolled', scrollTop > rowHeight / 2);
      }}
      {...hoverHandlers}
    />
  );
}

/** The newest event when the list was first shown. */
function useFirstSeq(newest: number | undefined, isReady: boolean): number | undefined {
  const [first, setFirst] = useState<number>();
  if (first === undefined && isReady) setFirst(newest ?? 0);
  return first;
}

/** Holds new rows while a mouse moves over the list. */
function useHoverHold(tail: EventTail) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const leave = () => {
    clearTimeout(timer.current);
    tail.hold('pointed', false);
  };
  return {
    onPointerMove: ({ pointerType }: { pointerType: string }) => {
      if (pointerType !== 'mouse') return;
      clearTimeout(timer.current);
      tail.hold('pointed', true);
      timer.current = setTimeout(leave, HOVER_HOLD_MS);
    },
    onPointerLeave: leave,
  };
}
