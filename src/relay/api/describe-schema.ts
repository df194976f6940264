import type { StandardSchemaConverter } from '@nestjs/swagger';
import { z } from 'zod';
import { componentNames } from './component-schemas';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema in JSON Schema's words (OpenAPI 3.1); what has a name is shared under it, and referred to. */
export const describeSchema: StandardSchemaConverter = (schema, { schemaType }) => {
  if (!(schema instanceof z.ZodType)) return undefined;
  const names = componentNames[schemaType];
  namePage(schema, names);
  // What a schema is made of may be named, but not the schema itself: so it is made a part of another one.
  const { properties, $defs } = z.toJSONSchema(z.object({ schema }), {
    target: 'draft-2020-12',
    io: schemaType,
    metadata: names,
    override: simplify,
  });
  return { schema: properties!['schema'], components: $defs ?? {} };
};

/** A page of something named is named after it. */
function namePage(schema: z.ZodType, names: typeof componentNames.output): void {
  if (!(schema instanceof z.ZodObject) || names.has(schema)) return;
  const { data, next_cursor: cursor } = schema.shape as Record<string, z.ZodType | undefined>;
  if (!(data instanceof z.ZodArray) || cursor === undefined) return;
  const item = names.get(data.element as z.ZodType);
  if (item !== undefined) names.add(schema, { id: `${item.id}Page` });
}

/** Leaves out what says nothing to a reader or a generator of clients. */
function simplify({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  delete jsonSchema.id;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.type === 'integer') {
    jsonSchema.format = 'int64';
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  }
  // An answer may have more in a later version: only what is sent is refused for that.
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
    delete jsonSchema.additionalProperties;
}
