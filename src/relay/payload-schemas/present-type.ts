import type { PayloadNode, PayloadTypes, PayloadTypeVersions } from '../../contract/payload-type';
import { isoOrNull, toIso } from '../ground/iso-time';
import { countOf, formatsOf, isRequired, valuesOf, type SchemaNode, type TypeSchema } from './schema-node';
import type { SchemaVersion } from './schema-versions.store';

type Summary = PayloadTypes['data'][number];

export function presentType(
  type: string,
  { events, truncated, root }: TypeSchema,
  state: Summary['state'],
  version: Pick<SchemaVersion, 'version' | 'created_at'> | undefined,
): Summary {
  return {
    type,
    state,
    version: version?.version ?? null,
    version_at: isoOrNull(version?.created_at ?? null),
    events,
    examined: root.count,
    truncated,
    first_seen_at: toIso(root.first[1]),
    last_seen_at: toIso(root.last[1]),
  };
}

export const presentVersion = ({
  version,
  created_at: createdAt,
  accepted_at: acceptedAt,
  changes,
}: Omit<SchemaVersion, 'schema'>): PayloadTypeVersions['data'][number] => ({
  version,
  created_at: toIso(createdAt),
  accepted_at: isoOrNull(acceptedAt),
  changes,
});

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
        [...properties]
          .filter(([, { rule }]) => rule !== 'ignore')
          .map(([key, member]) => [key, presentNode(member, node)]),
      ),
    }),
    ...(map && { map: presentNode(map) }),
    ...(items && { items: presentNode(items) }),
    first_seq: node.first[0],
    last_seq: node.last[0],
  };
}
