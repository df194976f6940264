import { useEffect, useRef, type RefObject } from 'react';
import { EventList } from '../../features/event-list/event-list';
import { useVisibleRows } from '../../features/event-list/use-visible-rows';
import { PendingData } from '../../components/pending-data';
import type { EventTail, TailView } from '../../live/event-tail';
import { TailEmpty } from './tail-empty';

interface TailListProps {
  tail: EventTail;
  view: TailView;
  list: RefObject<HTMLDivElement | null>;
  setVisible: (first: number, last: number) => void;
  activeId: string | null;
  select: (id: string) => void;
}

const NEAR_END = 20;
/** How long a resting pointer keeps the rows still, so that a click meets the row it was meant for. */
const POINTED_MS = 2_500;

/** What is arriving; what comes on top waits while it would move what is being read. */
export function TailList({ tail, view, list, setVisible, activeId, select }: TailListProps) {
  const { rows, hasOlder } = view;
  const visible = useVisibleRows({ rows, activeId, list, offset: tail.position.offset });
  const { first, last, size } = visible;
  useEffect(() => setVisible(first, last), [setVisible, first, last]);
  useEffect(() => {
    if (hasOlder && last > rows.length - NEAR_END) void tail.loadOlder();
  }, [tail, last, rows.length, hasOlder]);

  const pointing = usePointing(tail);
  if (view.phase !== 'ready') {
    const error = view.phase === 'failed' ? view.error : null;
    return <PendingData query={{ data: undefined, error, refetch: () => tail.catchUp() }} rows={8} flush />;
  }
  if (rows.length === 0) return <TailEmpty />;
  const couldNotReadOlder = hasOlder && !view.loadingOlder && view.error !== null;
  return (
    <EventList
      data-tail
      name="Live events"
      screen="/live"
      visible={visible}
      hasOlder={hasOlder}
      end={hasOlder ? null : 'No older events.'}
      retryOlder={couldNotReadOlder ? () => void tail.loadOlder() : undefined}
      select={select}
      onScroll={({ currentTarget: { scrollTop } }) => {
        tail.savePosition({ offset: scrollTop });
        tail.hold('scrolled', scrollTop > size / 2);
      }}
      {...pointing}
    />
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
