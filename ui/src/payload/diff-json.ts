import { isSame, type Container, type Json, type Step } from './json';

/**
 * What is otherwise in the later of two values. A place in an array means: of what was removed, its place before; of what
 * was added, its place after; of what changed, both.
 */
export type Change =
  | { kind: 'added'; path: readonly Step[]; after: Json }
  | { kind: 'removed'; path: readonly Step[]; before: Json }
  | { kind: 'changed'; path: readonly Step[]; before: Json; after: Json };

/** Deeper than this, a part that changed is told as a whole: no person reads longer paths. */
const DEEPEST = 64;

/**
 * What differs between two values, field by field, in the order of the later one. A field that is `null` is there;
 * numbers are compared digit by digit.
 */
export function diffJson(before: Json, after: Json): Change[] {
  const changes: Change[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: Json, after: Json, path: readonly Step[], changes: Change[]): void {
  if (path.length < DEEPEST && before.kind === 'object' && after.kind === 'object')
    compareMembers(before, after, path, changes);
  else if (path.length < DEEPEST && before.kind === 'array' && after.kind === 'array')
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

/** What is the same at the beginning and at the end stays; what lies between is compared place by place. */
function compareItems(before: Items, after: Items, path: readonly Step[], changes: Change[]): void {
  const shorter = Math.min(before.items.length, after.items.length);
  let head = 0;
  while (head < shorter && isSame(before.items[head]!, after.items[head]!)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.items.at(-1 - tail)!, after.items.at(-1 - tail)!)) tail += 1;

  const pairs = shorter - tail;
  for (let place = head; place < pairs; place += 1)
    compare(before.items[place]!, after.items[place]!, [...path, place], changes);
  for (let place = pairs; place < before.items.length - tail; place += 1)
    changes.push({ kind: 'removed', path: [...path, place], before: before.items[place]! });
  for (let place = pairs; place < after.items.length - tail; place += 1)
    changes.push({ kind: 'added', path: [...path, place], after: after.items[place]! });
}
