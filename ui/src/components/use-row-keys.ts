import type { RefObject } from 'react';
import { useShortcuts } from './use-shortcuts';

/** `j` and `k` move the focus between the rows (`data-row`) of a list. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  const move = (steps: 1 | -1) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const index = rows.findIndex((row) => row === document.activeElement);
    rows[index === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, index + steps))]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
}
