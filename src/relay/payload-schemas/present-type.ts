import type { PayloadNode, PayloadTypes } from '../../contract/payload-type';
import { toIso } from '../ground/iso-time';
import { countOf, formatsOf, isRequired, valuesOf, type SchemaNode, type TypeSchema } from './schema-node';

const LEARNED_EVENTS = 50;
const LEARNED_MS = 24 * 3_600_000;

/** @param ageMs since the first event */
export function presentType(
  type: string,
  { events, truncated, root }: TypeSchema,
  ageMs: number,
): PayloadTypes['data'][number] {
  return {
    type,
    state: root.count >= LEARNED_EVENTS || ageMs >= LEARNED_MS ? 'stable' : 'learning',
    events,
    examined: root.count,
    truncated,
    first_seen_at: toIso(root.first[1]),
    last_seen_at: toIso(root.last[1]),
  };
}

export function presentNode(node: SchemaNode, parent?: SchemaNode): PayloadNode {
  const { types, range, properties, map, items } = node;
  const [formats, values] = [formatsOf(node), valuesOf(node)];
  const objects = parent === undefined ? node.count : countOf(parent, 'object');
  return {
    types: Object.fromEntries(Object.entries(types).map(([type, [count]]) => [type, count])),
    share: node.count / objects,
    required: parent === undefined || isRequired(node, parent),
    ...(formats.length > 0 && { formats }),
    ...(values.length > 0 && { values }),
    ...(range && { range }),
    ...(properties && {
      properties: Object.fromEntries(
        [...properties].map(([key, member]) => [key, presentNode(member, node)]),
      ),
    }),
    ...(map && { map: presentNode(map) }),
    ...(items && { items: presentNode(items) }),
    first_seq: node.first[0],
    last_seq: node.last[0],
  };
}
