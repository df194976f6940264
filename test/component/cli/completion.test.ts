import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../support/until';
import { RecordingTarget } from '../../support/fakes/recording-target';

const MAIN = resolve(__dirname, '../../../dist/main.js');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-completion-'));

let hub: RecordingTarget;
beforeAll(async () => {
  const program = join(folder, 'switchboard');
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(program, 0o755);
  hub = await RecordingTarget.start();
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

/** What bash would offer for the last word, with names kept in this folder. */
async function complete(cache: string, ...words: string[]): Promise<string[]> {
  const script = `source <(switchboard completion bash)
    COMP_WORDS=(switchboard "$@"); COMP_CWORD=$#; _switchboard; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = {
    PATH: [folder, process.env['PATH']].join(delimiter),
    XDG_CACHE_HOME: join(folder, cache),
    SWITCHBOARD_HUB: new URL(hub.url).origin,
    SWITCHBOARD_TOKEN: 'token',
  };
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], { env });
  return stdout.split('\n').filter((line) => line !== '');
}

it('bash completes commands and flags without a hub', async () => {
  expect(await complete('a', 'ev')).toEqual(['events']);
  expect(await complete('a', 'events', 'ex')).toEqual(['export']);
  expect(await complete('a', 'events', 'list', '--st')).toEqual(['--status']);
  expect(await complete('a', 'events', 'list', '--status', 'de')).toEqual(['dead']);
  expect(hub.hits).toEqual([]);
});

it('bash completes names of the hub, which are kept', async () => {
  hub.respondWith((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ name: 'my target' }, { name: 'other' }], next_cursor: null }));
  });
  // On a busy machine, the answer may come too late for a shell.
  let tries = 0;
  await until('names are offered', async () => {
    tries += 1;
    return (await complete(`b${tries}`, 'explain', '--target', 'my')).length > 0;
  });
  const before = hub.hits.length;
  expect(await complete(`b${tries}`, 'explain', '--target', 'my')).toEqual([String.raw`my\ target`]);
  expect(hub.hits.length).toBe(before);
});

it('a hub that does not answer is not waited for, nor asked again soon', async () => {
  hub.hits.length = 0;
  hub.respondWith(() => undefined);
  for (const _ of [1, 2]) expect(await complete('c', 'explain', '--target', '')).toEqual([]);
  expect(hub.hits.length).toBeLessThanOrEqual(1);
});
