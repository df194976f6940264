import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const MAIN = resolve(__dirname, '../../../dist/main.js');
/** Prints the files that the program has loaded. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
  import Module from 'node:module';
  process.on('exit', () => process.stderr.write(JSON.stringify(Object.keys(Module._cache))));
`)}`;

/** The folders of the modules, and their packages, that a command loads: each chunk of the bundle names its modules. */
function loadedBy(...args: string[]): string[] {
  const { stderr } = spawnSync(process.execPath, ['--import', PRELOAD, MAIN, ...args], {
    encoding: 'utf8',
    env: { ...process.env, SWITCHBOARD_TOKEN: 'some-token' },
  });
  const files = (JSON.parse(/\[.*\]$/.exec(stderr)![0]) as string[]).filter((file) => file.endsWith('.js'));
  const modules = files.flatMap(
    (file) => readFileSync(file, 'utf8').match(/(?<=^\/\/ )(dist|node_modules)\/.+\.c?js$/gm) ?? [],
  );
  const folders = modules.map((name) => /node_modules\/[^/]+|dist\/\w+\/[^/]+|dist\/[^/]+/.exec(name)![0]);
  return [...new Set(folders)].sort();
}

it('the help loads the definitions of the commands, and nothing that they do', () => {
  expect(loadedBy('--help')).toEqual([
    'dist/cli/definitions',
    'dist/cli/run.js',
    'dist/main.js',
    'dist/relay/ground',
    'dist/sandbox/quirks',
    'node_modules/commander',
  ]);
});

it.each([
  ['status', '--data-dir', '/nowhere'],
  ['doctor', '--hub', 'http://127.0.0.1:10', '--timeout', '0.1'],
  ['targets', 'edit', 'shop', '--name', 'other', '--hub', 'http://127.0.0.1:10', '--timeout', '0.1'],
])('a command that asks a hub loads no package but that of the parser: %s', (...args) => {
  const loaded = loadedBy(...args);
  expect(loaded).toContain('dist/cli/remote');
  expect(loaded.filter((name) => name.startsWith('node_modules/'))).toEqual(['node_modules/commander']);
});
