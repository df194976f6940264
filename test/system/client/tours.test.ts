import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { transformSync } from '@swc/core';
import { Switchboard } from '../../support/daemon/switchboard';
import { GO_ENVIRONMENT } from '../../support/go-environment';

const ROOT = resolve(__dirname, '../../..');
const EXAMPLES = join(ROOT, 'client/examples');

/** How each example is run; TypeScript always, the others where their language is installed. */
const COMMANDS: Record<string, [command: string, ...args: string[]]> = {
  'tour.ts': [process.execPath, 'tour.mjs'],
  'tour.py': ['python3', 'tour.py'],
  'tour.go': ['go', 'run', 'tour.go'],
};
const VERSIONS: Record<string, string> = { go: 'version' };
const installed = Object.keys(COMMANDS).filter(
  (file) => spawnSync(COMMANDS[file]![0], [VERSIONS[COMMANDS[file]![0]] ?? '--version']).status === 0,
);

let folder: string;
let switchboard: Switchboard;
let oldest: string;

beforeAll(async () => {
  execFileSync('npm', ['run', 'build:client'], { cwd: ROOT });
  switchboard = await Switchboard.start();
  oldest = await switchboard.emit('deal.created');
  await switchboard.emit('deal.updated');
  // Apart from this project, so that only what is in the package is found.
  folder = mkdtempSync(join(tmpdir(), 'switchboard-client-'));
  cpSync(EXAMPLES, folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(ROOT, 'client'), join(folder, 'node_modules/switchboard-client'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  const { code } = transformSync(readFileSync(join(folder, 'tour.ts'), 'utf8'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  });
  writeFileSync(join(folder, 'tour.mjs'), code);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await switchboard.end();
  rmSync(folder, { recursive: true, force: true });
});

it.each(installed)('the example %s goes through the API and verifies a delivery', async (file) => {
  const [command, ...args] = COMMANDS[file]!;
  const hub = { HUB: switchboard.origin, TOKEN: switchboard.adminToken };
  const env = { ...process.env, ...GO_ENVIRONMENT, ...hub };
  const program = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = (await text(program.stdout)).trim().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^listed evt_\w+ deal.updated/),
    expect.stringMatching(/^listed evt_\w+ deal.created/),
    `consumed ${oldest}`,
    `followed ${oldest}`,
    expect.stringMatching(/^created tgt_/),
    `verified ${oldest}`,
  ]);
});

it(`runs in TypeScript, and in what else is installed: here ${installed.join(', ')}`, () => {
  expect(installed).toContain('tour.ts');
});

it('the example in TypeScript compiles against the package, as an ES module and as CommonJS', () => {
  const compile = (file: string, ...options: string[]) =>
    spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript-native/bin/tsc'),
        '--ignoreConfig',
        '--strict',
        '--noEmit',
        '--exactOptionalPropertyTypes',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        ...options,
        file,
      ],
      { cwd: folder, encoding: 'utf8' },
    ).stdout;
  expect(compile('tour.ts', '--types', 'node')).toBe('');
  const call = `import { createClient } from 'switchboard-client';
const client = createClient({ hub: 'https://hub.example.com', token: '' });\n`;
  writeFileSync(
    join(folder, 'right.cts'),
    `${call}export const a = client.request('POST', '/api/v1/targets', { body: { name: 'a', url: undefined } });`,
  );
  expect(compile('right.cts', '--types', '')).toBe('');
  const wrong = [
    `client.request('GET', '/api/v1/no-such-path');`,
    `client.request('PUT', '/api/v1/events');`,
    `client.request('GET', '/api/v1/events/{id}');`,
    `client.request('GET', '/api/v1/events', { query: { statuss: 'dead' } });`,
    `client.request('POST', '/api/v1/targets', { body: { name: 'a', link: 'x' } });`,
    `client.request('POST', '/api/v1/consumers/{name}/commit', { path: { name: 'a' } });`,
  ];
  writeFileSync(join(folder, 'wrong.cts'), call + wrong.join('\n'));
  expect(compile('wrong.cts', '--types', '').match(/error TS/g)).toHaveLength(wrong.length);
});

it('the package has the version of the hub, and can be required as well', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const own = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8')) as { version: string };
  expect(own.version).toBe(version);
  const script = `const [a, b, c] = ['', '/events', '/webhook'].map((part) => require('switchboard-client' + part));
console.log(typeof a.createClient, typeof b.follow, typeof c.verify)`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('function function function\n');
});
