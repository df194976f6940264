import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { Json } from '../../payload/json';
import classes from './payload-tree.module.css';
import { TreeItem } from './tree-item';
import { openAtFirst, rowsOf, showMore, turn, type TreeRow } from './tree-rows';

/** The payload as a tree that folds; arrow keys move in it, and the chosen row offers to be copied. */
export function PayloadTree({ json }: { json: Json }) {
  const tree = useRef<HTMLDivElement>(null);
  const [folds, setFolds] = useState(() => openAtFirst(json));
  const rows = useMemo(() => rowsOf(json, folds), [json, folds]);
  const [key, setKey] = useState('');
  const focusMoves = useRef(false);
  // A row that is gone, since what held it was closed, leaves the choice to the whole payload.
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
      select(row.first);
      setFolds((now) => showMore(now, row.of));
    } else {
      select(row.key);
      if (row.isOpen !== null) setFolds((now) => turn(now, row.json));
    }
  };
  const onKeyDown = (press: KeyboardEvent) => {
    // The buttons in a row keep their keys.
    if (!(press.target instanceof HTMLElement) || !press.target.matches('[role=treeitem]')) return;
    const does = KEYS[press.key]?.(rows, selected);
    if (does === undefined) return;
    press.preventDefault();
    const row = rows[does.to]!;
    if (does.activates) activate(row);
    else select(row.key);
  };
  const point = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest('[data-turns]') === null) return;
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
      onClick={point}
    >
      {rows.map((row, index) => (
        <TreeItem key={row.key} row={row} isSelected={index === selected} select={setKey} />
      ))}
    </div>
  );
}

/** Where a key leads, and whether it opens or closes the row that it was pressed on. */
type Key = (rows: readonly TreeRow[], at: number) => { to: number; activates?: true };

const KEYS: Readonly<Record<string, Key>> = {
  ArrowDown: (rows, at) => ({ to: Math.min(at + 1, rows.length - 1) }),
  ArrowUp: (_, at) => ({ to: Math.max(at - 1, 0) }),
  Home: () => ({ to: 0 }),
  End: (rows) => ({ to: rows.length - 1 }),
  Enter: (_, at) => ({ to: at, activates: true }),
  ' ': (_, at) => ({ to: at, activates: true }),
  ArrowRight: (rows, at) => {
    const isOpen = openness(rows[at]);
    if (isOpen === false) return { to: at, activates: true };
    return { to: isOpen === true ? at + 1 : at };
  },
  ArrowLeft: (rows, at) => {
    if (openness(rows[at]) === true) return { to: at, activates: true };
    const level = rows[at]?.level ?? 1;
    return {
      to: Math.max(
        rows.slice(0, at).findLastIndex((row) => row.level < level),
        0,
      ),
    };
  },
};

const openness = (row: TreeRow | undefined) => (row?.kind === 'value' ? row.isOpen : null);
