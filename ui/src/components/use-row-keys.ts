import type { RefObject } from 'react';
import { useShortcuts } from './use-shortcuts';

/** `j` and `k` go from row to row of a list (`data-row`); `Enter` is the focused row's own. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  const move = (steps: 1 | -1) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const at = rows.findIndex((row) => row === document.activeElement);
    rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + steps))]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
}
