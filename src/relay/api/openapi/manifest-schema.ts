import { z } from 'zod';
import { manifestFile } from '../../../contract/manifest';

/** In place of a text: the command line replaces it by a value of its environment. */
const VARIABLE = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}' };

/** The JSON Schema (2020-12) of `switchboard.yaml`, with which an editor checks and completes it. */
export function manifestSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(manifestFile, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // A filter.
      if (jsonSchema.propertyNames !== undefined) jsonSchema.minProperties = 1;
      if (jsonSchema.type !== 'string') return;
      const { default: _, ...plain } = jsonSchema;
      // Few validators check a format.
      if (plain.format === 'uri') plain.pattern = '^(http|smtp)s?://[^/]';
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
      jsonSchema.anyOf = [plain, { $ref: '#/$defs/variable' }];
    },
  });
  return { $schema, title: 'switchboard.yaml', ...schema, $defs: { variable: VARIABLE } };
}
