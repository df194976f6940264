import { useCallback, useState } from 'react';
import type { EventSummary } from '../../../../src/contract/event';

interface Choice {
  rows: readonly EventSummary[];
  /** What the rows belong to; another has a choice of its own. */
  owner: unknown;
  remembered: string | null;
  remember: (id: string | null) => void;
}

/** The row that the keyboard is at. */
export function useChosenRow({ rows, owner, remembered, remember }: Choice) {
  const [chosen, setChosen] = useState({ owner, id: remembered });
  const activeId = chosen.owner === owner ? chosen.id : remembered;

  const choose = useCallback(
    (id: string | null) => {
      remember(id);
      setChosen({ owner, id });
    },
    [owner, remember],
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
