import { isTypeOfEvent, sortedProperties, typeNames } from './export-names';
import { formatsOf, isRequired, pinnedValuesOf, valuesOf, type SchemaNode } from './schema-node';

/** The types of what may be an enumeration. */
const ENUMERATED = ['string', 'integer', 'null'];

/** A schema in JSON Schema 2020-12, with one definition per type. The same schemas give the same bytes. */
export function exportJsonSchema(schemas: ReadonlyMap<string, SchemaNode>): string {
  const names = typeNames([...schemas.keys()]);
  const definitions = [...names].map(([type, name]) => [name, schemaOf(schemas.get(type)!, type)]);
  const exported = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(names.size > 0 && { oneOf: [...names.values()].map((name) => ({ $ref: `#/$defs/${name}` })) }),
    $defs: Object.fromEntries(definitions) as object,
  };
  return `${JSON.stringify(exported, null, 2)}\n`;
}

export function schemaOf(node: SchemaNode, eventType?: string): object {
  // A number may be an integer, too.
  const types = Object.keys(node.types).filter((type) => type !== 'integer' || !('number' in node.types));
  const [formats, values, members] = [formatsOf(node), valuesOf(node), sortedProperties(node)];
  const required = members
    .filter(([key, member]) => isTypeOfEvent(key, eventType) || isRequired(member, node))
    .map(([key]) => key);
  const isEnumeration =
    pinnedValuesOf(node) !== undefined && types.every((type) => ENUMERATED.includes(type));
  const [format] = formats.filter((one) => one !== 'digits');
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types.toSorted() }),
    ...(format && { format }),
    ...(isEnumeration && { enum: types.includes('null') ? [...values, null] : values }),
    ...(!isEnumeration && values.length > 0 && { 'x-seen-values': values }),
    ...(members.length > 0 && {
      properties: Object.fromEntries(
        members.map(([key, member]) => [
          key,
          isTypeOfEvent(key, eventType) ? { const: eventType } : schemaOf(member),
        ]),
      ),
    }),
    ...(required.length > 0 && { required }),
    ...(node.map && { additionalProperties: schemaOf(node.map) }),
    ...(node.items && { items: schemaOf(node.items) }),
  };
}
