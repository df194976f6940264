import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const DOCUMENT = readFileSync(join(__dirname, '../../../docs/receivers.md'), 'utf8');

interface Language {
  name: string;
  /** Language of the code block in the document. */
  fence: string;
  file: string;
  command: string;
}

/** Languages that the document shows and this machine can run; Node always. */
const LANGUAGES: Language[] = [
  { name: 'Node', fence: 'js', file: 'receiver.mjs', command: process.execPath },
  { name: 'Python', fence: 'python', file: 'receiver.py', command: 'python3' },
].filter(({ command }) => spawnSync(command, ['--version']).status === 0);

let switchboard: Switchboard;
let folder: string;
const running: ChildProcess[] = [];
const started: RecordingTarget[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-receivers-'));
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await Promise.all(
    running.map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
  await Promise.all(started.map((one) => one.close()));
  await switchboard.end();
  rmSync(folder, { recursive: true });
});

function snippet(fence: string): string {
  const found = DOCUMENT.split('```' + fence + '\n')[1]?.split('\n```')[0];
  if (found === undefined) throw new Error(`The document shows nothing in ${fence}.`);
  return `${found}\n`;
}

/** Runs the document's receiver as a separate process; `output` is what it has printed. */
async function run({ fence, file, command }: Language, secret: string) {
  const path = join(folder, file);
  writeFileSync(path, snippet(fence));
  const child = spawn(command, [path], {
    env: { PATH: process.env['PATH'], PORT: '0', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until('the receiver listens', () => {
    if (child.exitCode !== null) throw new Error(`The receiver ended: ${output}`);
    return /listening on \d+/.test(output);
  });
  const port = Number(/listening on (\d+)/.exec(output)![1]);
  return { url: `http://127.0.0.1:${port}/`, output: () => output };
}

/** Forwards a delivery unchanged, except for `changes`. */
async function forward(
  url: string,
  hit: Hit,
  changes: { body?: Buffer; headers?: Record<string, string> } = {},
) {
  const names = Object.keys(hit.headers).filter((name) => /^(webhook|content-type)/.test(name));
  const headers = Object.fromEntries(names.map((name) => [name, String(hit.headers[name])]));
  const body = new Uint8Array(changes.body ?? hit.body);
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...changes.headers }, body });
  return response.status;
}

describe.each(LANGUAGES)('the receiver that the document shows in $name', (language) => {
  it('accepts genuine requests once, and rejects altered and old ones', async () => {
    const type = `received.${language.fence}`;
    const recorder = await RecordingTarget.start();
    started.push(recorder);
    const added = await switchboard.addTarget(type, recorder.url, [type]);
    const { url, output } = await run(language, added.secret);
    const handled = (id: string) => output().split(`handled ${id} ${type}`).length - 1;

    const id = await switchboard.emit(type);
    await until('the delivery arrives', () => recorder.of(id).length === 1);
    const [hit] = recorder.of(id);
    const altered = Buffer.from(String(hit!.body).replace(type, `${type}.not`));
    const signature = String(hit!.headers['webhook-signature']);
    const now = Math.floor(Date.now() / 1_000);
    for (const changes of [
      { body: altered },
      { headers: { 'webhook-id': 'evt_another' } },
      { headers: { 'webhook-timestamp': String(now + 1) } },
      { headers: { 'webhook-timestamp': 'now' } },
      { headers: { 'webhook-signature': '' } },
      { headers: { 'webhook-signature': signature.replace('v1,', 'v2,') } },
      { headers: { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` } },
    ])
      expect({ changes, status: await forward(url, hit!, changes) }).toEqual({ changes, status: 401 });
    expect(handled(id)).toBe(0);

    expect(await forward(url, hit!)).toBe(204);
    await until('it is handled', () => handled(id) === 1);
    expect(await forward(url, hit!)).toBe(204);

    switchboard.clock.move(-600_000);
    const old = await switchboard.emit(type);
    await until('the delivery arrives', () => recorder.of(old).length === 1);
    switchboard.clock.move(600_000);
    expect(await forward(url, recorder.of(old)[0]!)).toBe(401);

    // Now its own responses decide, and two secrets sign.
    await switchboard.ask(`/targets/${added.id}/secret/rotate`, { method: 'POST' });
    recorder.respondWith(
      (response, sent) => void forward(url, sent).then((status) => response.writeHead(status).end()),
    );
    const direct = await switchboard.emit(type);
    await switchboard.deliveryOnce(direct, added.id, ({ state }) => state === 'succeeded');
    await until('it is handled', () => handled(direct) === 1);
    expect(handled(id)).toBe(1);
    expect(handled(old)).toBe(0);
  });
});
