import { z } from 'zod';
import * as resources from '../../../contract/resources';

/** What is in a URL is described with its route. */
const IN_URL = /(?<!Preview)Query$|^(eventFilters|issueId)$/;

/** The names of shared schemas in `openapi.json`: those of their types. */
export const componentNames = z.registry<{ id: string }>();

for (const [name, schema] of Object.entries<unknown>(resources))
  if (schema instanceof z.ZodType && !IN_URL.test(name))
    componentNames.add(schema, { id: name[0]!.toUpperCase() + name.slice(1) });
