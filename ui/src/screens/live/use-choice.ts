import { useCallback, useState } from 'react';
import type { EventTail, TailView } from '../../live/event-tail';

/** The row that the keyboard is at. While one is chosen, new rows wait, so that it stays where it is. */
export function useChoice(tail: EventTail, { rows }: TailView) {
  const [chosen, setChosen] = useState({ tail, id: tail.place.activeId });
  const activeId = chosen.tail === tail ? chosen.id : tail.place.activeId;

  const choose = useCallback(
    (id: string | null) => {
      tail.remember({ activeId: id });
      setChosen({ tail, id });
      tail.hold('selected', id !== null);
    },
    [tail],
  );
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
