import type { PayloadField, PayloadFields } from '../../contract/payload-field';
import { joinPath, parsePath } from '../filters/filter-paths';
import { valuesOf, type SchemaNode } from './schema-node';

const MAX_SAMPLES = 5;
const KINDS = ['string', 'number', 'boolean', 'null'] as const;

/** Adds the fields of these schemas that events which were read lacked. */
export function addFields(found: PayloadFields, roots: readonly SchemaNode[]): PayloadFields {
  const fields = new Map(found.fields.map((field) => [field.path, field]));
  for (const root of roots)
    for (const field of fieldsIn(root)) if (!fields.has(field.path)) fields.set(field.path, field);
  return { ...found, fields: [...fields.values()] };
}

/** The plain values, under the paths by which a filter reaches them; members of maps have none that another event has. */
function* fieldsIn(node: SchemaNode, path = ''): Generator<PayloadField> {
  const types = 'integer' in node.types ? { ...node.types, number: node.types.integer } : node.types;
  const kinds = KINDS.filter((kind) => kind in types);
  if (path !== '' && kinds.length > 0)
    yield { path, kinds, events: 0, samples: valuesOf(node).slice(0, MAX_SAMPLES) };
  for (const [key, member] of node.properties ?? []) {
    const inner = joinPath(path, key);
    if (typeof parsePath(inner) !== 'string') yield* fieldsIn(member, inner);
  }
  if (node.items !== undefined) yield* fieldsIn(node.items, path);
}
