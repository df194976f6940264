import { isSame, type Container, type Json, type Step } from './json';

/**
 * One difference between two values. An array index refers to the earlier array if the item was removed, to
 * the later one if it was added, and to both if it changed.
 */
export type Change =
  | { kind: 'added'; path: readonly Step[]; after: Json }
  | { kind: 'removed'; path: readonly Step[]; before: Json }
  | { kind: 'changed'; path: readonly Step[]; before: Json; after: Json };

/** Below this depth, a changed value is reported as a whole; nobody reads longer paths. */
const MAX_DEPTH = 64;

/**
 * The differences between two values, field by field, in the order of the later one. A `null` field is not
 * the same as a missing one; numbers are compared as text.
 */
export function diffJson(before: Json, after: Json): Change[] {
  const changes: Change[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: Json, after: Json, path: readonly Step[], changes: Change[]): void {
  if (path.length < MAX_DEPTH && before.kind === 'object' && after.kind === 'object')
    compareMembers(before, after, path, changes);
  else if (path.length < MAX_DEPTH && before.kind === 'array' && after.kind === 'array')
    compareItems(before, after, path, changes);
  else if (!isSame(before, after)) changes.push({ kind: 'changed', path, before, after });
}

type Members = Extract<Container, { kind: 'object' }>;
type Items = Extract<Container, { kind: 'array' }>;

function compareMembers(before: Members, after: Members, path: readonly Step[], changes: Change[]): void {
  for (const [name, value] of after.members) {
    const earlier = before.members.get(name);
    if (earlier === undefined) changes.push({ kind: 'added', path: [...path, name], after: value });
    else compare(earlier, value, [...path, name], changes);
  }
  for (const [name, value] of before.members)
    if (!after.members.has(name)) changes.push({ kind: 'removed', path: [...path, name], before: value });
}

/** Skips equal items at both ends and compares the rest by index. */
function compareItems(before: Items, after: Items, path: readonly Step[], changes: Change[]): void {
  const shorter = Math.min(before.items.length, after.items.length);
  let head = 0;
  while (head < shorter && isSame(before.items[head]!, after.items[head]!)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.items.at(-1 - tail)!, after.items.at(-1 - tail)!)) tail += 1;

  const pairedEnd = shorter - tail;
  for (let index = head; index < pairedEnd; index += 1)
    compare(before.items[index]!, after.items[index]!, [...path, index], changes);
  for (let index = pairedEnd; index < before.items.length - tail; index += 1)
    changes.push({ kind: 'removed', path: [...path, index], before: before.items[index]! });
  for (let index = pairedEnd; index < after.items.length - tail; index += 1)
    changes.push({ kind: 'added', path: [...path, index], after: after.items[index]! });
}
