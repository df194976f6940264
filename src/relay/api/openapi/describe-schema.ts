import type { StandardSchemaConverter } from '@nestjs/swagger';
import { z } from 'zod';
import { componentNames } from './component-schemas';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema as JSON Schema (OpenAPI 3.1), with references to named schemas. */
export const describeSchema: StandardSchemaConverter = (schema, { schemaType }) => {
  if (!(schema instanceof z.ZodType)) return undefined;
  namePage(schema);
  // `toJSONSchema` puts only nested schemas under their names, so this one is nested in another.
  const { properties, $defs } = z.toJSONSchema(z.object({ schema }), {
    target: 'draft-2020-12',
    io: schemaType,
    metadata: componentNames,
    override: simplify,
  });
  return { schema: properties!['schema'], components: $defs ?? {} };
};

/** Names a page after its items. */
function namePage(schema: z.ZodType): void {
  if (!(schema instanceof z.ZodObject) || componentNames.has(schema)) return;
  const { data, next_cursor: cursor } = schema.shape as Record<string, z.ZodType | undefined>;
  if (!(data instanceof z.ZodArray) || cursor === undefined) return;
  const item = componentNames.get(data.element as z.ZodType);
  if (item !== undefined) componentNames.add(schema, { id: `${item.id}Page` });
}

/** Removes what is of no use to readers and client generators. */
function simplify({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  delete jsonSchema.id;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.type === 'integer') {
    jsonSchema.format = 'int64';
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  }
  // Responses may gain fields in later versions; only requests are rejected for unknown fields.
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
    delete jsonSchema.additionalProperties;
}
