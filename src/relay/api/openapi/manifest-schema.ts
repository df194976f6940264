import { z } from 'zod';
import { manifestFile } from '../../../contract/manifest';
import { simplify } from './describe-schema';

/** In place of a text: the command line replaces it by a value of its environment. */
const VARIABLE = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}' };

/** The JSON Schema (2020-12) of `switchboard.yaml`, with which an editor checks and completes it. */
export function manifestSchema(): object {
  const { $schema, $defs, ...schema } = z.toJSONSchema(manifestFile, {
    io: 'input',
    override: (context) => {
      const { jsonSchema } = context;
      simplify(context);
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
  return { $schema, title: 'switchboard.yaml', ...schema, $defs: { ...$defs, variable: VARIABLE } };
}
