import { isContainer, sizeOf, type Container, type Json, type Step } from '../../payload/json';

/** What a tree shows of a payload: which parts are open, and how many of their values. */
export interface Folds {
  open: ReadonlySet<Json>;
  /** Where it is more than `CHILDREN_SHOWN`. */
  shown: ReadonlyMap<Json, number>;
}

export interface ValueRow {
  kind: 'value';
  /** Names the row among those of its tree, for as long as there is one. */
  key: string;
  /** How deep it stands; the whole payload is 1. */
  level: number;
  path: readonly Step[];
  json: Json;
  /** Null: there is nothing to open. */
  isOpen: boolean | null;
}

/** Stands for the values of a container that are not shown yet. */
interface MoreRow {
  kind: 'more';
  key: string;
  level: number;
  of: Container;
  left: number;
  /** Where the first of them will stand. */
  first: string;
}

export type TreeRow = ValueRow | MoreRow;

/** A list of ten thousand items would take seconds to draw. */
export const CHILDREN_SHOWN = 100;
/** A longer text stands cut until it is opened. */
export const STRING_SHOWN = 300;

const OPEN_LEVELS = 5;
const OPEN_ROWS = 80;

/** Opens the upper levels, as far as they make few rows. */
export function openAtFirst(root: Json): Folds {
  const open = new Set<Json>();
  let level: Json[] = [root];
  let rows = 1;
  for (let depth = 1; depth <= OPEN_LEVELS; depth += 1) {
    const next: Json[] = [];
    for (const json of level.filter(isContainer)) {
      const size = Math.min(sizeOf(json), CHILDREN_SHOWN);
      if (depth > 1 && rows + size > OPEN_ROWS) continue;
      open.add(json);
      rows += size;
      for (const [, child] of childrenOf(json, CHILDREN_SHOWN)) next.push(child);
    }
    level = next;
  }
  return { open, shown: new Map() };
}

/** Opens what is closed and closes what is open. */
export function turn({ open, shown }: Folds, json: Json): Folds {
  const next = new Set(open);
  if (!next.delete(json)) next.add(json);
  return { open: next, shown };
}

/** Shows more values of a container. */
export function showMore({ open, shown }: Folds, of: Container): Folds {
  return { open, shown: new Map(shown).set(of, (shown.get(of) ?? CHILDREN_SHOWN) + CHILDREN_SHOWN) };
}

/** The rows of a tree from top to bottom. */
export function rowsOf(root: Json, folds: Folds): TreeRow[] {
  const rows: TreeRow[] = [];
  // Whoever opens thousands of levels, one by one, shall not run out of stack.
  const waiting: TreeRow[] = [rowOf(root, '', [], folds)];
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    if (row.kind === 'value' && row.isOpen === true && isContainer(row.json))
      for (const child of rowsIn(row, row.json, folds).toReversed()) waiting.push(child);
  }
  return rows;
}

function rowsIn({ key, level, path }: ValueRow, json: Container, folds: Folds): TreeRow[] {
  const count = folds.shown.get(json) ?? CHILDREN_SHOWN;
  const rows: TreeRow[] = childrenOf(json, count).map(([step, child], place) =>
    rowOf(child, `${key}.${place}`, [...path, step], folds),
  );
  const left = sizeOf(json) - rows.length;
  if (left > 0)
    rows.push({
      kind: 'more',
      key: `${key}.more`,
      level: level + 1,
      of: json,
      left,
      first: `${key}.${rows.length}`,
    });
  return rows;
}

function rowOf(json: Json, key: string, path: readonly Step[], { open }: Folds): ValueRow {
  return {
    kind: 'value',
    key,
    level: path.length + 1,
    path,
    json,
    isOpen: canOpen(json) ? open.has(json) : null,
  };
}

const canOpen = (json: Json): boolean =>
  isContainer(json) ? sizeOf(json) > 0 : json.kind === 'string' && json.value.length > STRING_SHOWN;

function childrenOf(container: Container, count: number): [Step, Json][] {
  if (container.kind === 'array') return container.items.slice(0, count).map((item, place) => [place, item]);
  const children: [Step, Json][] = [];
  for (const member of container.members) {
    if (children.length === count) break;
    children.push(member);
  }
  return children;
}
