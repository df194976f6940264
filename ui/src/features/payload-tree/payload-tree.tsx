import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { Json } from '../../payload/json';
import classes from './payload-tree.module.css';
import { TreeItem } from './tree-item';
import { initialFolds, rowsOf, showMore, toggle, type TreeRow } from './tree-rows';

/** The payload as a collapsible tree with keyboard navigation; the selected row can be copied. */
export function PayloadTree({ json }: { json: Json }) {
  const tree = useRef<HTMLDivElement>(null);
  const [folds, setFolds] = useState(() => initialFolds(json));
  const rows = useMemo(() => rowsOf(json, folds), [json, folds]);
  const [key, setKey] = useState('');
  const focusMoves = useRef(false);
  // If the selected row disappeared with its collapsed parent, the root is selected.
  const selected = Math.max(
    rows.findIndex((row) => row.key === key),
    0,
  );
  useEffect(() => {
    if (!focusMoves.current) return;
    focusMoves.current = false;
    tree.current?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus();
  });

  const select = (next: string) => {
    focusMoves.current = true;
    setKey(next);
  };
  const activate = (row: TreeRow) => {
    if (row.kind === 'more') {
      select(row.firstKey);
      setFolds((now) => showMore(now, row.container));
    } else {
      select(row.key);
      if (row.isOpen !== null) setFolds((now) => toggle(now, row.json));
    }
  };
  const onKeyDown = (press: KeyboardEvent) => {
    // Keys on the buttons of a row are not for the tree.
    if (!(press.target instanceof HTMLElement) || !press.target.matches('[role=treeitem]')) return;
    const move = KEYS[press.key]?.(rows, selected);
    if (move === undefined) return;
    press.preventDefault();
    const row = rows[move.to]!;
    if (move.toggles) activate(row);
    else select(row.key);
  };
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest('[data-toggle]') === null) return;
    const at = target.closest<HTMLElement>('[data-key]')?.dataset['key'];
    const row = rows.find((one) => one.key === at);
    if (row !== undefined) activate(row);
  };
  return (
    <div
      ref={tree}
      role="tree"
      tabIndex={-1}
      aria-label="Payload as a tree"
      className={classes.tree}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {rows.map((row, index) => (
        <TreeItem key={row.key} row={row} isSelected={index === selected} select={setKey} />
      ))}
    </div>
  );
}

/** The row to which a key moves, and whether it toggles that row. */
type Key = (rows: readonly TreeRow[], at: number) => { to: number; toggles?: true };

const KEYS: Readonly<Record<string, Key>> = {
  ArrowDown: (rows, at) => ({ to: Math.min(at + 1, rows.length - 1) }),
  ArrowUp: (_, at) => ({ to: Math.max(at - 1, 0) }),
  Home: () => ({ to: 0 }),
  End: (rows) => ({ to: rows.length - 1 }),
  Enter: (_, at) => ({ to: at, toggles: true }),
  ' ': (_, at) => ({ to: at, toggles: true }),
  ArrowRight: (rows, at) => {
    const isOpen = isRowOpen(rows[at]);
    if (isOpen === false) return { to: at, toggles: true };
    return { to: isOpen === true ? at + 1 : at };
  },
  ArrowLeft: (rows, at) => {
    if (isRowOpen(rows[at]) === true) return { to: at, toggles: true };
    const level = rows[at]?.level ?? 1;
    return {
      to: Math.max(
        rows.slice(0, at).findLastIndex((row) => row.level < level),
        0,
      ),
    };
  },
};

const isRowOpen = (row: TreeRow | undefined) => (row?.kind === 'value' ? row.isOpen : null);
