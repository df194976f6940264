import { useRef } from 'react';
import { useShortcuts } from './use-shortcuts';

/** `j` and `k` go from row to row of a list; `Enter` is the focused link's own. */
export function useRowKeys<List extends HTMLElement = HTMLUListElement>() {
  const list = useRef<List>(null);
  const move = (steps: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + steps))]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  return list;
}
