import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeToken } from '../access/token-fixture';
import { freePort } from '../../support/free-port';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget, type Behaviour } from '../../support/fakes/recording-target';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

let switchboard: Switchboard;
let target: RecordingTarget;
let listenOnly: string;
let reader: string;
let event: string;

beforeAll(async () => {
  target = await RecordingTarget.start();
  switchboard = await Switchboard.start();
  await switchboard.addTarget('sample', target.url, ['deal.*']);
  listenOnly = (await makeToken(switchboard, ['listen'])).secret;
  reader = (await makeToken(switchboard, ['read'])).secret;
  event = await switchboard.emit('deal.created', { id: 42, name: 'Fjord\u001b]0;x\u0007\u202eEnergy\nLtd' });
});

afterAll(async () => {
  await switchboard.end();
  await target.close();
});

const run = (hub: string, token: string, ...args: string[]) =>
  runInProcess(
    args.map((arg) => (arg === 'EVENT' ? event : arg)),
    { SWITCHBOARD_HUB: hub, SWITCHBOARD_TOKEN: token },
  );

const READS: [verb: string, ...args: string[]][] = [
  ['tail', '--after', 'oldest', '--no-follow', '--limit', '1'],
  ['events list'],
  ['events get', 'EVENT'],
  ['events body', 'EVENT'],
  ['events export'],
  ['explain', 'EVENT'],
];
const CHANGES: [verb: string, ...args: string[]][] = [['events resend', 'EVENT', '--to', 'sample']];
const ALL = [...READS, ...CHANGES].map(([verb, ...args]) => [verb, [...verb.split(' '), ...args]] as const);

const problem =
  (status: number, code: string, more: object = {}): Behaviour =>
  (to) =>
    to.writeHead(status, { 'content-type': 'application/problem+json', 'switchboard-version': '0.0.1' }).end(
      JSON.stringify({
        type: 'about:blank',
        title: 'No',
        status,
        code,
        detail: 'It was not done.',
        ...more,
      }),
    );

/** What another server answers to every request. */
const OTHERS: [what: string, answer: Behaviour, code: number, says: RegExp][] = [
  [
    'a redirect',
    (to) => to.writeHead(302, { location: 'http://127.0.0.1:9/login' }).end(),
    76,
    /redirects to http:\/\/127\.0\.0\.1:9, and redirects are not followed/,
  ],
  [
    'a login page',
    (to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    76,
    /Let requests with a bearer token pass/,
  ],
  ['another service', (to) => to.writeHead(418).end('tea'), 76, /is not a Switchboard hub/],
  [
    'an older hub',
    problem(404, 'not_found'),
    76,
    /has version 0\.0\.1, which cannot do this; this program has version/,
  ],
  [
    'an older hub, by the method',
    problem(405, 'method_not_allowed'),
    76,
    /has version 0\.0\.1, which cannot do this/,
  ],
  [
    'an older hub, by a name in the request',
    problem(400, 'invalid_request', { errors: [{ path: '', message: 'Unknown: "all". Accepted: ids.' }] }),
    76,
    /has version 0\.0\.1, which cannot do this/,
  ],
  ['an expired token', problem(401, 'token_expired'), 77, /switchboard login/],
];

describe.each(ALL)('%s', (_, args) => {
  it('prints what was asked for, as JSON for each line if so', async () => {
    const human = await run(switchboard.origin, switchboard.adminToken, ...args);
    expect({ code: human.code, printed: human.out !== '' }).toEqual({ code: 0, printed: true });
    expect(human.err).toBe(args[1] === 'resend' ? `Hub: ${switchboard.origin} (SWITCHBOARD_HUB)\n` : '');
    const { code, out, err } = await run(switchboard.origin, switchboard.adminToken, ...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const line of out.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('says that no hub answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expectFailure(run(url, 'secret', ...args, '--timeout', '0'), 69, /No hub answers at/);
  });

  it('says that the token is wrong, or which scope it lacks', async () => {
    await expectFailure(run(switchboard.origin, 'secret', ...args), 77, /switchboard login/);
    await expectFailure(run(switchboard.origin, listenOnly, ...args), 77, /The scope `read` is required/);
    if (args[1] === 'resend')
      await expectFailure(run(switchboard.origin, reader, ...args), 77, /The scope `operate` is required/);
  });

  it.each(OTHERS)('reports what is no answer: %s', async (_what, answer, code, says) => {
    const other = await RecordingTarget.start(answer);
    await expectFailure(run(new URL(other.url).origin, 'secret', ...args), code, says);
    const { code: again, out, err } = await run(new URL(other.url).origin, 'secret', ...args, '--json');
    expect({ again, out }).toEqual({ again: code, out: '' });
    expect(JSON.parse(err)).toMatchObject({ code: expect.any(String), detail: expect.any(String) });
    await other.close();
  });
});

it('names cannot change what a terminal shows: one row for each event', async () => {
  for (const args of [
    ['events', 'list', '--type', 'deal.*'],
    ['tail', '--after', 'oldest', '--no-follow'],
  ]) {
    const { out } = await run(switchboard.origin, reader, ...args);
    expect(out.split('\n').filter((line) => line.includes('Fjord'))).toEqual([
      expect.stringContaining('Fjord\ufffd]0;x\ufffd\ufffdEnergy\ufffdLtd'),
    ]);
  }
  const { out } = await run(switchboard.origin, reader, 'events', 'list', '--json', '--type', 'deal.*');
  expect(out).toContain(String.raw`Fjord\u001b]0;x\u0007\u202eEnergy\nLtd`);
});

it('a file is replaced only if that is confirmed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-export-'));
  const file = join(folder, 'events');
  writeFileSync(file, 'mine');
  for (const args of [
    ['events', 'export'],
    ['events', 'body', event],
  ]) {
    await expectFailure(run(switchboard.origin, reader, ...args, '-o', file), 2, /events exists: .* --yes/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  }
  await run(switchboard.origin, reader, 'events', 'body', event, '-o', file, '--yes');
  expect(readFileSync(file, 'utf8')).toContain('Fjord');
  rmSync(folder, { recursive: true });
});

it('an event is found by its seq, and what there is not is 1', async () => {
  const { seq } = await switchboard.event(event);
  const found = await run(switchboard.origin, reader, 'events', 'get', String(seq), '--json');
  expect(JSON.parse(found.out)).toMatchObject({ id: event, seq });
  await expectFailure(
    run(switchboard.origin, reader, 'events', 'get', '99999'),
    1,
    /There is no event 99999/,
  );
  await expectFailure(run(switchboard.origin, reader, 'explain', 'deal:7'), 1, /No event about deal:7/);
  await expectFailure(run(switchboard.origin, reader, 'events', 'list', '--target', 'x'), 1, /no target "x"/);
});

it('a consumer reads each event once, and tells of another reader', async () => {
  await switchboard.ask('/consumers', { method: 'POST', json: { name: 'books', start: 'oldest' } });
  const args = ['tail', '--consumer', 'books', '--no-follow', '--json'];
  const lines = async (...more: string[]) => {
    const { code, out, err } = await run(switchboard.origin, switchboard.adminToken, ...args, ...more);
    return {
      code,
      err,
      ids: out.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id])),
    };
  };
  expect(await lines()).toEqual({ code: 0, err: '', ids: [event] });
  const next = await switchboard.emit('deal.updated');
  await switchboard.ask('/consumers/books/read', { method: 'POST', json: {} });
  const held = await lines();
  expect(held).toMatchObject({ code: 1, ids: [] });
  expect(JSON.parse(held.err)).toMatchObject({
    code: 'consumer_leased',
    remedy: expect.stringContaining('--take-over'),
  });
  expect(await lines('--take-over')).toEqual({ code: 0, err: '', ids: [next] });
  expect((await switchboard.ask('/consumers/books')).json).toMatchObject({ lease: null });
});

it('a resent event is waited for, and not delivered is 3', async () => {
  const args = ['events', 'resend', 'EVENT', '--to', 'sample', '--wait'];
  const delivered = await run(switchboard.origin, switchboard.adminToken, ...args);
  expect(delivered).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^sample: succeeded \(200\), dlv_/),
  });
  target.respondWith(410);
  const gone = await run(switchboard.origin, switchboard.adminToken, ...args, '--json');
  expect({ code: gone.code, state: (JSON.parse(gone.out) as { state: string }).state }).toEqual({
    code: 3,
    state: 'dead',
  });
});

describe('between events that were removed', () => {
  useFastIntervals(50);
  let hub: Switchboard;

  beforeAll(async () => {
    hub = await Switchboard.start({ environment: { SWITCHBOARD_RETENTION_DAYS: '1' } });
  });
  afterAll(() => hub.end());

  it('one that is kept for its dead letter is found by its seq, and what was removed is 66', async () => {
    const gone = await RecordingTarget.start(410);
    const { id } = await hub.addTarget('gone', gone.url, ['deal.kept']);
    const kept = await hub.emit('deal.kept');
    await hub.deliveryOnce(kept, id, ({ state }) => state === 'dead');
    const removed = await hub.emit('deal.removed');
    const { seq } = await hub.event(removed);
    hub.clock.move(2 * 86_400_000);
    await hub.emit('deal.new');
    await until('it is removed', async () => (await hub.ask(`/events/${removed}`)).status === 404);
    const get = (found: number) => run(hub.origin, hub.adminToken, 'events', 'get', String(found), '--json');
    expect(JSON.parse((await get((await hub.event(kept)).seq)).out)).toMatchObject({ id: kept });
    expect(await get(seq)).toMatchObject({ code: 66, out: '' });
    await gone.close();
  });
});

async function expectFailure(running: ReturnType<typeof run>, code: number, says: RegExp): Promise<void> {
  const { code: ended, out, err } = await running;
  expect({ ended, out, err }).toEqual({ ended: code, out: '', err: expect.stringMatching(says) });
  // One sentence with a remedy, after the name of the hub where something would be changed.
  expect(err.replace(/^Hub: .*\n/, '')).toMatch(/^[^\n]+\n$/);
  expect(err).not.toContain('secret');
}
