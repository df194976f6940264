import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { pageOf } from '../../../src/contract/page';
import { eventSummary } from '../../../src/contract/event';
import { testOutcome } from '../../../src/contract/target-test';
import { tokenCreated } from '../../../src/contract/token';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

/** More than fits in the buffers between a sender and a client that does not read. */
const STORED_BYTES = 24 * 1024 * 1024;
const BODY_BYTES = 900 * 1024;
const MIB = 1024 * 1024;

let switchboard: Switchboard;
let reader: string;
const open: ClientRequest[] = [];

beforeAll(async () => {
  switchboard = await Switchboard.start();
  for (let stored = 0; stored < STORED_BYTES; stored += BODY_BYTES)
    await switchboard.emit('large.event', { stored, text: 'x'.repeat(BODY_BYTES) });
  const created = { name: 'reader', scopes: ['read'] };
  reader = (await switchboard.read(tokenCreated, '/tokens', { method: 'POST', json: created })).secret;
});
afterAll(async () => {
  for (const one of open) one.destroy();
  await switchboard.end();
});

/** Sends a request and reads only the head of the response. */
function ask(path: string, token: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port } = switchboard.wire;
    const headers = { authorization: `Bearer ${token}` };
    const sent = request({ host: '127.0.0.1', port, path: `/api/v1${path}`, headers, agent }, resolve);
    open.push(sent.on('error', reject));
    sent.end();
  });
}

const statusOf = async (path: string, token: string) => (await ask(path, token)).statusCode;

describe('exports that the client does not read', () => {
  it('are limited to four for each credential; its other reads and other credentials are not affected', async () => {
    const four = await Promise.all(Array.from({ length: 4 }, () => ask('/events/export', reader)));
    expect(four.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const rejected = await ask('/events/export', reader);
    expect(rejected.statusCode).toBe(429);
    expect(rejected.headers).toMatchObject({
      'retry-after': '1',
      'content-type': expect.stringMatching(/^application\/problem\+json/),
    });
    expect(JSON.parse(Buffer.concat(await rejected.toArray()).toString())).toMatchObject({
      code: 'too_many_reads',
      status: 429,
    });
    expect(await statusOf('/events?limit=5', reader)).toBe(200);
    expect(await statusOf('/events/export', switchboard.adminToken)).toBe(200);

    four[0]!.destroy();
    await until('the slot is free', async () => (await statusOf('/events/export', reader)) === 200);
  });
});

describe('a response that the client does not read', () => {
  it('keeps its slot: four run for each credential, and others wait', async () => {
    const large = await switchboard.emit('large.event', { text: 'x'.repeat(7 * MIB) });
    const four = Array.from({ length: 4 }, () => ask(`/events/${large}/body`, reader));
    const [first] = await Promise.all(four);
    let hasResponse = false;
    const fifth = ask('/targets', reader).finally(() => (hasResponse = true));
    for (let i = 0; i < 5; i += 1) await switchboard.read(pageOf(eventSummary), '/events?limit=1');
    expect(hasResponse).toBe(false);
    first!.destroy();
    expect((await fifth).statusCode).toBe(200);
  });
});

describe('tests of a target that does not respond', () => {
  it('are limited to four for each credential', async () => {
    const silent = await RecordingTarget.start(() => undefined);
    const trial = { url: silent.url, policy: { timeout_ms: 1_000 } };
    const tests = Array.from({ length: 6 }, () =>
      switchboard.ask('/targets/test', { method: 'POST', json: trial }),
    );
    const outcomes = (await Promise.all(tests)).map(({ json }) => testOutcome.parse(json).error);
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'timeout'));
    expect(silent.peak).toBe(4);
    await silent.close();
  });
});

describe('a dashboard with many tabs', () => {
  it('has no request rejected: concurrent requests are queued', async () => {
    const agent = new Agent({ maxSockets: 60 });
    const paths = ['/events?limit=20', '/deliveries?limit=20', '/stats/series?period=hour', '/replays'];
    const requests = Array.from({ length: 60 }, (_, i) => ask(paths[i % paths.length]!, reader, agent));
    const responses = await Promise.all(requests.map(async (one) => (await one).statusCode));
    expect(new Set(responses)).toEqual(new Set([200]));
    const page = await switchboard.read(pageOf(eventSummary), '/events?limit=20');
    expect(page.data).toHaveLength(20);
  });
});
