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
  /** Behind the fence in the document. */
  fence: string;
  file: string;
  command: string;
}

/** What the document shows and this machine can run: Node always. */
const LANGUAGES: Language[] = [
  { name: 'Node', fence: 'js', file: 'receiver.mjs', command: process.execPath },
  { name: 'Python', fence: 'python', file: 'receiver.py', command: 'python3' },
].filter(({ command }) => spawnSync(command, ['--version']).status === 0);

let board: Switchboard;
let folder: string;
const running: ChildProcess[] = [];
const started: RecordingTarget[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-receivers-'));
  board = await Switchboard.start();
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
  await board.end();
  rmSync(folder, { recursive: true });
});

function snippet(fence: string): string {
  const found = DOCUMENT.split('```' + fence + '\n')[1]?.split('\n```')[0];
  if (found === undefined) throw new Error(`The document shows nothing in ${fence}.`);
  return `${found}\n`;
}

/** The receiver of the document as a process of its own; `output` is what it wrote. */
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

/** Hands a delivery on as it came, but for what is changed. */
async function handOn(
  url: string,
  hit: Hit,
  changes: { body?: Buffer; headers?: Record<string, string> } = {},
) {
  const names = Object.keys(hit.headers).filter((name) => /^(webhook|content-type)/.test(name));
  const headers = Object.fromEntries(names.map((name) => [name, String(hit.headers[name])]));
  const body = new Uint8Array(changes.body ?? hit.body);
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...changes.headers }, body });
  return answer.status;
}

describe.each(LANGUAGES)('the receiver that the document shows in $name', (language) => {
  it('takes what is genuine, once, and refuses what was altered or is old', async () => {
    const type = `received.${language.fence}`;
    const between = await RecordingTarget.start();
    started.push(between);
    const made = await board.addTarget(type, between.url, [type]);
    const { url, output } = await run(language, made.secret);
    const handled = (id: string) => output().split(`handled ${id} ${type}`).length - 1;

    const id = await board.emit(type);
    await until('the delivery', () => between.of(id).length === 1);
    const [hit] = between.of(id);
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
      expect({ changes, status: await handOn(url, hit!, changes) }).toEqual({ changes, status: 401 });
    expect(handled(id)).toBe(0);

    expect(await handOn(url, hit!)).toBe(204);
    await until('its work', () => handled(id) === 1);
    expect(await handOn(url, hit!)).toBe(204);

    board.clock.move(-600_000);
    const old = await board.emit(type);
    await until('the delivery', () => between.of(old).length === 1);
    board.clock.move(600_000);
    expect(await handOn(url, between.of(old)[0]!)).toBe(401);

    // Its own answers decide, and two secrets sign.
    await board.ask(`/targets/${made.id}/secret/rotate`, { method: 'POST' });
    between.answer(
      (response, sent) => void handOn(url, sent).then((status) => response.writeHead(status).end()),
    );
    const direct = await board.emit(type);
    await board.deliveryOnce(direct, made.id, ({ state }) => state === 'succeeded');
    await until('its work', () => handled(direct) === 1);
    expect(handled(id)).toBe(1);
    expect(handled(old)).toBe(0);
  });
});
