import type { StandardSchemaConverter } from '@nestjs/swagger';
import { z } from 'zod';
import { UNPRINTABLE } from '../../../contract/constants';
import { DISPLAY_NAME } from '../../../contract/display-name';
import { nameSchema } from './component-schemas';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema as JSON Schema (OpenAPI 3.1), with references to named schemas. */
export const describeSchema: StandardSchemaConverter = (schema, { schemaType }) => {
  if (!(schema instanceof z.ZodType)) return undefined;
  namePage(schema);
  // `toJSONSchema` puts only nested schemas under their names, so this one is nested in another.
  const { properties, $defs } = z.toJSONSchema(z.object({ schema }), {
    target: 'draft-2020-12',
    io: schemaType,
    override: simplify,
  });
  return { schema: properties!['schema'], components: $defs ?? {} };
};

/** Names a page after its items. */
function namePage(schema: z.ZodType): void {
  if (!(schema instanceof z.ZodObject) || z.globalRegistry.get(schema)?.id !== undefined) return;
  const { data, next_cursor: cursor } = schema.shape as Record<string, z.ZodType | undefined>;
  if (!(data instanceof z.ZodArray) || cursor === undefined) return;
  const item = z.globalRegistry.get(data.element as z.ZodType)?.id;
  if (item !== undefined) nameSchema(schema, `${item}Page`);
}

/** Removes what is of no use to readers and client generators, and says in words what misleads generators. */
export function simplify({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: JsonSchema;
}): void {
  delete jsonSchema.id;
  if (jsonSchema.format === DISPLAY_NAME) printableOnly(jsonSchema);
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Generators take a property with a default for one that is always there.
  if (jsonSchema.default !== undefined) {
    const words = `By default \`${JSON.stringify(jsonSchema.default)}\`.`;
    jsonSchema.description = [jsonSchema.description, words].filter((part) => part !== undefined).join(' ');
    delete jsonSchema.default;
  }
  mergeNull(jsonSchema);
  // Generators in Go and Python know no `false` in place of a schema.
  if (jsonSchema.items === false) jsonSchema.items = jsonSchema.prefixItems![0]!;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // Responses may gain fields in later versions; only requests are rejected for unknown fields.
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
    delete jsonSchema.additionalProperties;
}

/** `type: ["string", "null"]` in place of a choice between the two. */
function mergeNull(schema: JsonSchema): void {
  const [one, none, ...more] = schema.anyOf ?? [];
  if (one === undefined || none?.type !== 'null' || more.length > 0) return;
  if (typeof one.description === 'string') schema.description ??= one.description;
  delete one.description;
  if (typeof one.type !== 'string' || one.$ref !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, {
    ...one,
    type: [one.type, 'null'],
    ...(one.enum !== undefined && { enum: [...one.enum, null] }),
  });
}

let printable: string | undefined;

/** A character beyond the BMP, in languages that see its halves; a half alone is none. */
const PAIR = '[\\ud800-\\udbff][\\udc00-\\udfff]';

/** The pattern of display names, as explicit ranges of characters: regular expressions of few languages have classes. */
function printableOnly(schema: JsonSchema): void {
  printable ??= printablePattern();
  delete schema.format;
  if (schema.pattern !== undefined) schema.allOf = [{ pattern: schema.pattern }];
  schema.pattern = printable;
}

function printablePattern(): string {
  const others = `${rangesOf(UNPRINTABLE)}\\ud800-\\udfff`;
  return `^(?:[^${others}]|${PAIR})*(?:[^\\s${others}]|${PAIR})(?:[^${others}]|${PAIR})*$`;
}

/** The characters that match, as in a character class. Of those beyond the BMP, each language writes them otherwise. */
function rangesOf(expression: RegExp): string {
  const codes = Array.from({ length: 0x10000 }, (_, code) => code).filter(
    (code) => (code < 0xd800 || code > 0xdfff) && expression.test(String.fromCharCode(code)),
  );
  const firsts = codes.filter((code, i) => code !== codes[i - 1]! + 1);
  const lasts = codes.filter((code, i) => code !== codes[i + 1]! - 1);
  return firsts.map((first, i) => `${escaped(first)}-${escaped(lasts[i]!)}`).join('');
}

const escaped = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
