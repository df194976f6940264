import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Switchboard } from '../../support/daemon/switchboard';

const run = promisify(execFile);
const MODULES = resolve(__dirname, '../../../node_modules');
const COMMITTED = resolve(__dirname, '../../../src/client/generated/schema.ts');

let folder: string;
let switchboard: Switchboard;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'generated-'));
  switchboard = await Switchboard.start();
  writeFileSync(join(folder, 'openapi.json'), (await switchboard.ask('/openapi.json')).text);
  const generator = join(MODULES, 'openapi-typescript/bin/cli.js');
  await run(process.execPath, [generator, join(folder, 'openapi.json'), '-o', join(folder, 'schema.ts')]);
});
afterAll(async () => {
  await switchboard.end();
  rmSync(folder, { recursive: true, force: true });
});

/** What the compiler says about a program that uses the generated types. */
async function compile(program: string): Promise<string> {
  const file = join(folder, 'program.ts');
  writeFileSync(file, `import type { operations, components } from './schema';\n${TYPES}\n${program}\n`);
  const compiler = join(MODULES, 'typescript-native/bin/tsc');
  const options = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--exactOptionalPropertyTypes',
    '--types',
    '',
  ];
  const { stdout } = await run(process.execPath, [compiler, ...options, file], { cwd: folder }).catch(
    (error: unknown) => ({
      stdout: (error as { stdout: string }).stdout,
    }),
  );
  return stdout;
}

const TYPES = `
type Operations = operations;
type Body<Name extends keyof Operations> =
  NonNullable<Operations[Name] extends { requestBody?: infer Content } ? Content : never> extends { content: { 'application/json': infer Json } } ? Json : never;
type Query<Name extends keyof Operations> = Operations[Name]['parameters'] extends { query?: infer Names } ? NonNullable<Names> : never;
type Answer<Name extends keyof Operations, Status extends keyof Operations[Name]['responses']> =
  Operations[Name]['responses'][Status] extends { content: { 'application/json': infer Json } } ? Json : never;
type IsAny<Value> = 0 extends 1 & Value ? true : false;
`;

it('src/client/generated/schema.ts is what is generated from the document: npm run docs:client', () => {
  const generated = join(folder, 'schema.ts');
  if (process.env['WRITE_CLIENT']) copyFileSync(generated, COMMITTED);
  expect(readFileSync(COMMITTED, 'utf8') === readFileSync(generated, 'utf8')).toBe(true);
});

it('types generated from the document accept calls with the least fields', async () => {
  const program = `
export const create: Body<'createTarget'> = { name: 'billing', url: 'https://billing.example.com/hook' };
export const listener: Body<'createTarget'> = { name: 'laptop', kind: 'listener' };
export const patch: Body<'updateTarget'> = { enabled: false };
export const pause: Body<'pauseTarget'> = {};
export const replay: Body<'startReplay'> = { all: true };
export const some: Body<'startReplay'> = { filter: { types: ['deal.*'] } };
export const retry: Body<'retryDeadLetters'> = { error: 'timeout' };
export const consumer: Body<'createConsumer'> = { name: 'billing' };
export const read: Body<'readConsumer'> = {};
export const token: Body<'createToken'> = { name: 'ci', scopes: ['read'] };
export const none: Query<'listEvents'> = {};
export const query: Query<'listEvents'> = { type: ['deal.*'], status: 'dead', limit: 10 };
export function use(created: Answer<'createTarget', 201>, page: Answer<'listDeliveries', 200>, problem: components['schemas']['Problem']) {
  const notAny: false = false as IsAny<typeof created> | IsAny<typeof page> | IsAny<typeof problem.code>;
  if (problem.code === 'target_name_taken') return created.secret;
  return [notAny, page.next_cursor, page.data[0]?.state === 'dead'];
}`;
  expect(await compile(program)).toBe('');
});

it('and refuse what the hub would refuse', async () => {
  const wrong = [
    `export const a: Body<'createTarget'> = { url: 'https://billing.example.com/hook' };`,
    `export const b: Body<'createTarget'> = { name: 'billing', link: 'x' };`,
    `export const c: Query<'listEvents'> = { status: 'lost' };`,
    `export const d = (problem: components['schemas']['Problem']) => problem.code === 'no_such_code';`,
  ];
  const errors = await compile(wrong.join('\n'));
  expect(errors.match(/error TS/g)).toHaveLength(wrong.length);
});
