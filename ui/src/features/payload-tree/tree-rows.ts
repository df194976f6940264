import { isContainer, sizeOf, type Container, type Json, type Step } from '../../payload/json';

/** Which containers are open and how many of their children are shown. */
export interface Folds {
  open: ReadonlySet<Json>;
  /** The number of children shown, for containers of which more than `CHILDREN_PER_STEP` are. */
  shown: ReadonlyMap<Json, number>;
}

export interface ValueRow {
  kind: 'value';
  /** Unique within the tree. */
  key: string;
  /** Depth; the root is 1. */
  level: number;
  path: readonly Step[];
  json: Json;
  /** Null if the row cannot be opened. */
  isOpen: boolean | null;
}

/** A row in place of the hidden children of a container. */
interface MoreRow {
  kind: 'more';
  key: string;
  level: number;
  container: Container;
  hidden: number;
  /** The key that the first hidden child will have. */
  firstKey: string;
}

export type TreeRow = ValueRow | MoreRow;

/** Ten thousand rows would take seconds to render. */
export const CHILDREN_PER_STEP = 100;
/** Longer strings are truncated until opened. */
export const MAX_STRING_LENGTH = 300;

/** A payload opens with its upper levels expanded, as long as they fit on about two screens. */
const MAX_OPEN_LEVELS = 5;
const MAX_OPEN_ROWS = 80;

/** Opens the upper levels, up to a number of rows. */
export function initialFolds(root: Json): Folds {
  const open = new Set<Json>();
  let level: Json[] = [root];
  let rows = 1;
  for (let depth = 1; depth <= MAX_OPEN_LEVELS; depth += 1) {
    const next: Json[] = [];
    for (const json of level.filter(isContainer)) {
      const size = Math.min(sizeOf(json), CHILDREN_PER_STEP);
      if (depth > 1 && rows + size > MAX_OPEN_ROWS) continue;
      open.add(json);
      rows += size;
      for (const [, child] of childrenOf(json, CHILDREN_PER_STEP)) next.push(child);
    }
    level = next;
  }
  return { open, shown: new Map() };
}

/** Opens or closes a row. */
export function toggle({ open, shown }: Folds, json: Json): Folds {
  const next = new Set(open);
  if (!next.delete(json)) next.add(json);
  return { open: next, shown };
}

/** Shows more children of a container. */
export function showMore({ open, shown }: Folds, of: Container): Folds {
  return { open, shown: new Map(shown).set(of, (shown.get(of) ?? CHILDREN_PER_STEP) + CHILDREN_PER_STEP) };
}

/** The rows of a tree from top to bottom. */
export function rowsOf(root: Json, folds: Folds): TreeRow[] {
  const rows: TreeRow[] = [];
  // Not recursive, since thousands of levels may be open.
  const stack: TreeRow[] = [rowOf(root, '', [], folds)];
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    rows.push(row);
    if (row.kind === 'value' && row.isOpen === true && isContainer(row.json))
      for (const child of rowsIn(row, row.json, folds).toReversed()) stack.push(child);
  }
  return rows;
}

function rowsIn({ key, level, path }: ValueRow, json: Container, folds: Folds): TreeRow[] {
  const count = folds.shown.get(json) ?? CHILDREN_PER_STEP;
  const rows: TreeRow[] = childrenOf(json, count).map(([step, child], index) =>
    rowOf(child, `${key}.${index}`, [...path, step], folds),
  );
  const left = sizeOf(json) - rows.length;
  if (left > 0)
    rows.push({
      kind: 'more',
      key: `${key}.more`,
      level: level + 1,
      container: json,
      hidden: left,
      firstKey: `${key}.${rows.length}`,
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
  isContainer(json) ? sizeOf(json) > 0 : json.kind === 'string' && json.value.length > MAX_STRING_LENGTH;

function childrenOf(container: Container, count: number): [Step, Json][] {
  if (container.kind === 'array') return container.items.slice(0, count).map((item, index) => [index, item]);
  const children: [Step, Json][] = [];
  for (const member of container.members) {
    if (children.length === count) break;
    children.push(member);
  }
  return children;
}
