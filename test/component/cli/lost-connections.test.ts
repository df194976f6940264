import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runInProcess } from '../../support/daemon/run-in-process';
import { RecordingTarget, reset, type Behaviour } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

const MAIN = resolve(__dirname, '../../../dist/main.js');

let hub: RecordingTarget;
beforeEach(async () => {
  hub = await RecordingTarget.start();
});
afterEach(() => hub.close());

const environment = () => ({ SWITCHBOARD_HUB: new URL(hub.url).origin, SWITCHBOARD_TOKEN: 'token' });
const run = (...args: string[]) => runInProcess(args, environment());

/** Answers requests in this order, and the last one again and again. */
const inTurn = (...answers: Behaviour[]): Behaviour => {
  return (response, hit) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (typeof answer === 'function') answer(response, hit);
  };
};

const json =
  (status: number, value: object, headers = {}): Behaviour =>
  (response) =>
    response
      .writeHead(status, { 'content-type': `application/${status < 300 ? '' : 'problem+'}json`, ...headers })
      .end(JSON.stringify(value));

const events = (...seqs: number[]): Behaviour =>
  json(200, {
    data: seqs.map((seq) => ({
      seq,
      type: 'deal.created',
      entity: null,
      name: null,
      received_at: '2026-03-02T09:30:00Z',
    })),
    next_cursor: `evt_${seqs.at(-1) ?? 0}`,
    newest_seq: 9,
    lag: 0,
  });

const noLeader = json(503, { code: 'no_leader', detail: 'No daemon leads.', status: 503 });
const pruned = json(410, {
  code: 'position_pruned',
  detail: 'Removed.',
  missed: 1204,
  oldest_cursor: 'evt_7',
});
const positions = () => hub.hits.map(({ path }) => new URL(path!, 'http://hub').searchParams.get('after'));

it('tail goes on where it was after lost connections and a change of the leader, and says so once', async () => {
  hub.respondWith(inTurn(events(), events(1), reset, noLeader, reset, events(2)));
  const { code, out, err } = await run('tail', '--limit', '2');
  expect({ code, out }).toEqual({ code: 0, out: '09:30:00Z 1 deal.created\n09:30:00Z 2 deal.created\n' });
  expect(err).toMatch(
    /^No hub answers at \S+: ECONNRESET\. Trying again until it answers\.\nThe hub answers again\.\n$/,
  );
  expect(positions()).toEqual(['newest', 'evt_0', 'evt_1', 'evt_1', 'evt_1', 'evt_1']);
});

it('tail says how many events were removed before it read them, goes on behind them, and ends with 66', async () => {
  hub.respondWith(inTurn(pruned, events(8)));
  const { code, out, err } = await run('tail', '--after', '3', '--limit', '1');
  expect({ code, out }).toEqual({ code: 66, out: '09:30:00Z 8 deal.created\n' });
  expect(err).toBe('1,204 events were removed before they were read.\n');
  expect(positions()).toEqual(['3', 'evt_7']);
});

it.each(['SIGINT', 'SIGTERM'] as const)('tail ends with 0 at %s while it waits', async (signal) => {
  hub.respondWith(inTurn(events(), () => undefined));
  const env = { PATH: process.env['PATH'], ...environment() };
  const child = spawn(process.execPath, [MAIN, 'tail'], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  await until('it waits', () => hub.hits.length === 2);
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
});

it('a long number of a payload is printed as it was received, and text that a terminal would obey is not', async () => {
  const text = `{"data":[{"seq":1,"type":"deal.created","entity":null,"name":"]}","received_at":"2026-03-02T09:30:00Z","body":{"id":12345678901234567890,\t"s":"\u009b\\"[{"},"body_base64":null}],"next_cursor":"evt_1","newest_seq":1,"lag":0}`;
  hub.respondWith((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text));
  const args = ['tail', '--after', 'oldest', '--no-follow', '--full'];
  const { out } = await run(...args, '--json');
  expect(out).toContain(String.raw`"body":{"id":12345678901234567890, "s":"\u009b\"[{"}`);
  expect(JSON.parse(out)).toMatchObject({ seq: 1, name: ']}' });
  expect((await run(...args)).out).toContain('12345678901234567890');
});

it('reads are repeated, changes only if the connection was refused', async () => {
  const event = 'evt_00000000000000000000000000';
  hub.respondWith(inTurn(noLeader, json(200, { count: 3, estimated: false })));
  expect(await run('events', 'list', '--count')).toEqual({ code: 0, out: '3\n', err: '' });
  hub.respondWith(noLeader);
  hub.hits.length = 0;
  const target = 'tgt_00000000000000000000000000';
  expect(await run('events', 'resend', event, '--to', target)).toMatchObject({ code: 69, out: '' });
  expect(hub.hits.length).toBe(1);
});

it('an export that is cut leaves no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-export-'));
  const file = join(folder, 'events.ndjson');
  hub.respondWith((response) => {
    response.writeHead(200, { 'content-disposition': 'attachment', 'content-length': '100' });
    response.write('{}\n', () => reset(response));
  });
  expect(await run('events', 'export', '-o', file)).toMatchObject({ code: 69, out: '' });
  expect(readdirSync(folder)).toEqual([]);
  hub.respondWith((response) => response.writeHead(200, { 'content-disposition': 'attachment' }).end('{}\n'));
  expect(await run('events', 'export', '-o', file)).toEqual({ code: 0, out: '', err: '' });
  expect(existsSync(file)).toBe(true);
  rmSync(folder, { recursive: true });
});
