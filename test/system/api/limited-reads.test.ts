import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { pageOf } from '../../../src/contract/page';
import { eventSummary } from '../../../src/contract/event';
import { testOutcome } from '../../../src/contract/target';
import { tokenCreated } from '../../../src/contract/token';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

/** More than lies between a sender and one who does not read. */
const STORED_BYTES = 24 * 1024 * 1024;
const BODY_BYTES = 900 * 1024;
const MIB = 1024 * 1024;

let board: Switchboard;
let reader: string;
const open: ClientRequest[] = [];

beforeAll(async () => {
  board = await Switchboard.start();
  for (let stored = 0; stored < STORED_BYTES; stored += BODY_BYTES)
    await board.emit('large.event', { stored, text: 'x'.repeat(BODY_BYTES) });
  const made = { name: 'reader', scopes: ['read'] };
  reader = (await board.read(tokenCreated, '/tokens', { method: 'POST', json: made })).secret;
});
afterAll(async () => {
  for (const one of open) one.destroy();
  await board.end();
});

/** Asks, and takes in nothing of the answer but its head. */
function ask(path: string, token: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port } = board.wire;
    const headers = { authorization: `Bearer ${token}` };
    const sent = request({ host: '127.0.0.1', port, path: `/api/v1${path}`, headers, agent }, resolve);
    open.push(sent.on('error', reject));
    sent.end();
  });
}

const statusOf = async (path: string, token: string) => (await ask(path, token)).statusCode;

describe('exports that nobody reads', () => {
  it('are four at a time for one credential; it reads on, and others are not concerned', async () => {
    const four = await Promise.all(Array.from({ length: 4 }, () => ask('/events/export', reader)));
    expect(four.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const refused = await ask('/events/export', reader);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'content-type': expect.stringMatching(/^application\/problem\+json/),
    });
    expect(JSON.parse(Buffer.concat(await refused.toArray()).toString())).toMatchObject({
      code: 'too_many_reads',
      status: 429,
    });
    expect(await statusOf('/events?limit=5', reader)).toBe(200);
    expect(await statusOf('/events/export', board.adminToken)).toBe(200);

    four[0]!.destroy();
    await until('its place is free', async () => (await statusOf('/events/export', reader)) === 200);
  });
});

describe('an answer that nobody reads', () => {
  it('keeps its place: four at a time for one credential, and others wait', async () => {
    const large = await board.emit('large.event', { text: 'x'.repeat(7 * MIB) });
    const four = Array.from({ length: 4 }, () => ask(`/events/${large}/body`, reader));
    const [first] = await Promise.all(four);
    let answered = false;
    const fifth = ask('/targets', reader).finally(() => (answered = true));
    for (let i = 0; i < 5; i += 1) await board.read(pageOf(eventSummary), '/events?limit=1');
    expect(answered).toBe(false);
    first!.destroy();
    expect((await fifth).statusCode).toBe(200);
  });
});

describe('tests of a target that does not answer', () => {
  it('are four at a time for one credential', async () => {
    const silent = await RecordingTarget.start(() => undefined);
    const trial = { url: silent.url, policy: { timeout_ms: 1_000 } };
    const tests = Array.from({ length: 6 }, () =>
      board.ask('/targets/test', { method: 'POST', json: trial }),
    );
    const outcomes = (await Promise.all(tests)).map(({ json }) => testOutcome.parse(json).error);
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'timeout'));
    expect(silent.peak).toBe(4);
    await silent.close();
  });
});

describe('a dashboard with many tabs', () => {
  it('is refused nothing: what it asks for at once waits', async () => {
    const agent = new Agent({ maxSockets: 60 });
    const paths = ['/events?limit=20', '/deliveries?limit=20', '/stats/series?span=hour', '/replays'];
    const asked = Array.from({ length: 60 }, (_, i) => ask(paths[i % paths.length]!, reader, agent));
    const answers = await Promise.all(asked.map(async (one) => (await one).statusCode));
    expect(new Set(answers)).toEqual(new Set([200]));
    const page = await board.read(pageOf(eventSummary), '/events?limit=20');
    expect(page.data).toHaveLength(20);
  });
});
