import type { PayloadChange } from '../../contract/payload-type';
import { joinPath } from '../filters/filter-paths';
import { isRequired, pinnedValuesOf, type SchemaNode, type TypeSchema } from './schema-node';

/** A change, with the `seq` of the first event that has it; null if it is the lack of events. */
export type SchemaChange = Omit<PayloadChange, 'event_id'> & { seq: number | null };

const GONE_MS = 7 * 86_400_000;
const GONE_EVENTS = 1_000;
/** So many of those events would have it, if it occurred as often as before: rare paths are not gone at once. */
const EXPECTED_EVENTS = 20;

/**
 * Marks the paths that have not occurred for a week and 1,000 events.
 * @param ageOf the age of a stored time in ms
 */
export function markGone({ root }: TypeSchema, ageOf: (time: number) => number): void {
  const examined = root.count;
  const mark = (node: SchemaNode) => {
    for (const member of node.properties?.values() ?? []) {
      const [, at, until] = member.last;
      const since = examined - until;
      const isGone =
        since >= GONE_EVENTS && (since * member.count) / until >= EXPECTED_EVENTS && ageOf(at) >= GONE_MS;
      if (isGone) member.gone = true;
      else mark(member);
    }
    if (node.map !== undefined) mark(node.map);
    if (node.items !== undefined) mark(node.items);
  };
  mark(root);
}

/** What a later schema of a type has that an earlier one had not; of what was added or is gone, the outermost path. */
export function compareSchemas(earlier: TypeSchema, later: TypeSchema): SchemaChange[] {
  return [...changesAt('', earlier.root, later.root)];
}

function* changesAt(path: string, before: SchemaNode, after: SchemaNode): Generator<SchemaChange> {
  const added = (Object.keys(after.types) as (keyof SchemaNode['types'])[]).filter(
    (type) => !(type in before.types) && !(type === 'integer' && 'number' in before.types),
  );
  if (added.length > 0) {
    const seq = Math.min(...added.map((type) => after.types[type]![1]));
    yield { path, change: 'type_added', before: typesOf(before), after: typesOf(after), seq };
  }
  const [pinned, values] = [pinnedValuesOf(before), pinnedValuesOf(after)];
  if (pinned !== undefined && !values?.every((value) => pinned.includes(value)))
    yield {
      path,
      change: 'type_added',
      before: pinned.join(' | '),
      after: values?.join(' | ') ?? typesOf(after),
      seq: null,
    };
  yield* memberChanges(path, before, after);
  if (after.items !== undefined) yield* partChanges(`${path}[]`, before.items, after.items);
}

function* memberChanges(path: string, before: SchemaNode, after: SchemaNode): Generator<SchemaChange> {
  if (after.map !== undefined) {
    if (before.map !== undefined || before.properties === undefined)
      yield* partChanges(joinPath(path, '*'), before.map, after.map);
    else yield { path, change: 'map', before: 'object', after: 'map', seq: after.mapped ?? null };
    return;
  }
  for (const [key, member] of after.properties ?? []) {
    const known = before.properties?.get(key);
    if (known !== undefined && isRequired(known, before) && !isRequired(member, after)) {
      const seq = member.missing ?? null;
      yield { path: joinPath(path, key), change: 'missing', before: 'required', after: 'optional', seq };
    }
    yield* partChanges(joinPath(path, key), known, member);
  }
}

function* partChanges(
  path: string,
  before: SchemaNode | undefined,
  after: SchemaNode,
): Generator<SchemaChange> {
  if (before === undefined) {
    yield { path, change: 'added', before: null, after: typesOf(after), seq: after.first[0] };
    return;
  }
  if (after.gone) {
    if (!before.gone) yield { path, change: 'gone', before: typesOf(after), after: null, seq: null };
    return;
  }
  if (before.gone) yield { path, change: 'added', before: null, after: typesOf(after), seq: after.last[0] };
  yield* changesAt(path, before, after);
}

const typesOf = ({ types }: SchemaNode): string => Object.keys(types).toSorted().join(' | ');
