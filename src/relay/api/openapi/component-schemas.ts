import { z } from 'zod';
import * as resources from '../../../contract/resources';

/** What is in a URL is described with its route. */
const IN_URL = /(?<!Preview)Query$|^(eventFilters|issueId|consumerName|manifestName)$/;

/** Gives a schema a name in `openapi.json`. */
export const nameSchema = (schema: z.ZodType, id: string): unknown =>
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });

/** Shared schemas have the names of their types. */
const named = new Map<string, z.ZodType>();
for (const [name, schema] of Object.entries<unknown>(resources))
  if (schema instanceof z.ZodType && !IN_URL.test(name)) {
    named.set(name[0]!.toUpperCase() + name.slice(1), schema);
    nameSchema(schema, name[0]!.toUpperCase() + name.slice(1));
  }

/** The schema that a reference such as `#/components/schemas/Target` names. */
export const schemaAt = (reference: string): z.ZodType | undefined => named.get(reference.split('/').at(-1)!);
