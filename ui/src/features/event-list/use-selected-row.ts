import { useCallback, useState } from 'react';
import type { EventSummary } from '@contract/event';

interface Options {
  rows: readonly EventSummary[];
  /** Identifies the list; each has its own selection. */
  list: unknown;
  savedId: string | null;
  save: (id: string | null) => void;
}

/** The selected row and its keyboard navigation. */
export function useSelectedRow({ rows, list, savedId, save }: Options) {
  const [selection, setSelection] = useState({ owner: list, id: savedId });
  const activeId = selection.owner === list ? selection.id : savedId;

  const select = useCallback(
    (id: string | null) => {
      save(id);
      setSelection({ owner: list, id });
    },
    [list, save],
  );
  const move = (steps: 1 | -1) => {
    const index = rows.findIndex(({ id }) => id === activeId);
    const next = rows[index === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, index + steps))];
    if (next !== undefined) select(next.id);
  };
  const clear = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    select(null);
  };
  return { activeId, select, move, clear };
}
