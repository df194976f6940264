import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { manifestSchema } from '../../../src/relay/api/openapi/manifest-schema';

const FILE = resolve(__dirname, '../../../docs/switchboard.schema.json');

it('docs/switchboard.schema.json is the schema of manifests as it is: npm run docs:cli', () => {
  const expected = `${JSON.stringify(manifestSchema())}\n`;
  if (process.env['WRITE_DOCS']) writeFileSync(FILE, expected);
  expect(JSON.stringify(JSON.parse(readFileSync(FILE, 'utf8'))) + '\n').toBe(expected);
});
