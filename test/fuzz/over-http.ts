import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { HttpClient, type TestResponse } from '../support/http';
import { ApiRequests, type ApiDocument, type ApiRequest } from './api-requests';
import { notificationBody } from './notifications';
import { WatchedDaemon } from './watched-daemon';

/** So many cases are under way together. */
const TOGETHER = 16;
/** A case that stalls does so each time. */
const TRIES = 3;
/** A case takes a few milliseconds; a busy machine takes longer. */
const EACH_MS = 50;
const SETTLING_MS = 60_000;
const MOST_HEAP_GROWTH_MB = 32;
const MOST_RSS_GROWTH_MB = 200;

/** What a daemon answers to whatever it is sent, `cases` times each. */
export function fuzzOverHttp(cases: number): void {
  let watched: WatchedDaemon;
  let wire: HttpClient;
  let requests: ApiRequests;
  const withinMs = SETTLING_MS + cases * EACH_MS;

  // Each its own: requests may disconnect it from Co-Pilot, and what notifications store makes lists long.
  beforeEach(async () => {
    watched = await WatchedDaemon.start();
    const { daemon } = watched;
    wire = new HttpClient(Number(new URL(daemon.url).port));
    requests = new ApiRequests(await daemon.get<ApiDocument>('/openapi.json'), await prepare());
  }, 60_000);
  afterEach(async () => {
    wire?.close();
    await watched?.close();
  });

  it(
    'answers any query of any list',
    async () => {
      const statuses = await check(requests.queries(), ask);
      expect(statuses.get(200)).toBeGreaterThan(cases / 20);
      expect(statuses.get(400)).toBeGreaterThan(cases / 20);
    },
    withinMs,
  );

  it(
    'answers any body to any route',
    async () => {
      const statuses = await check(requests.bodies(), ask);
      expect(statuses.get(400)).toBeGreaterThan(cases / 10);
      expect(statuses.get(200)).toBeGreaterThan(cases / 50);
    },
    withinMs,
  );

  it(
    'answers any signed notification',
    async () => {
      const statuses = await check(notificationBody, notify);
      expect(statuses.get(200)).toBeGreaterThan(cases / 2);
    },
    withinMs,
  );

  /** Some of everything that has an id. @returns the ids, and cursors */
  async function prepare(): Promise<string[]> {
    const { daemon } = watched;
    const { id: target } = await daemon.addTarget('paused', 'http://127.0.0.1:9/');
    await daemon.request('POST', `/targets/${target}/pause`);
    for (let i = 0; i < 3; i += 1) {
      const data = { id: i, name: `Deal ${i}`, tags: [{ name: 'hot' }] };
      const body = { event: 'deal.updated', timestamp: new Date(i).toISOString(), webhook_id: 'wh_1', data };
      await notify(Buffer.from(JSON.stringify(body)));
    }
    await wire.send(new URL(daemon.webhook.url).pathname, { method: 'POST', body: 'forged' });
    const known = new Set([target]);
    for (const path of ['/events', '/deliveries', '/audit', '/targets'])
      for (const id of JSON.stringify((await daemon.request('GET', `${path}?limit=2`)).body).matchAll(
        /"(?:id|next_cursor)":"([^"]+)"/g,
      ))
        known.add(id[1]!);
    return [...known];
  }

  function notify(body: Buffer): Promise<TestResponse> {
    const { url, secret } = watched.daemon.webhook;
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['x-signature', signature],
    ];
    return wire.send(new URL(url).pathname, { method: 'POST', headers, body });
  }

  async function ask({ method, path, contentType, body }: ApiRequest): Promise<TestResponse> {
    const bearer: [string, string] = ['authorization', `Bearer ${watched.daemon.token}`];
    const type: [string, string][] = contentType === null ? [] : [['content-type', contentType]];
    const answer = await wire.send(path, {
      method,
      headers: [bearer, ...type],
      ...(body !== null && { body }),
    });
    // Thousands of targets would be a load of their own.
    const { id } = (answer.json ?? {}) as { id?: string };
    if (answer.status === 201 && id?.startsWith('tgt_') === true)
      await wire.send(`/api/v1/targets/${id}`, { method: 'DELETE', headers: [bearer] });
    return answer;
  }

  /** Every case, and what they left in memory, once it was warm. @returns how often it answered what */
  async function check<Case>(
    one: fc.Arbitrary<Case>,
    send: (one: Case) => Promise<TestResponse>,
  ): Promise<Map<number, number>> {
    const statuses = new Map<number, number>();
    let before: Case[] = [];
    const property = fc.asyncProperty(
      fc.array(one, { minLength: TOGETHER, maxLength: TOGETHER }),
      async (batch) => {
        const answers = await Promise.all(batch.map(send));
        for (const [i, answer] of answers.entries()) {
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          expectWellFormed(answer, batch[i]);
        }
        if (!watched.daemon.isRunning) throw new Error(`The daemon ended:\n${watched.daemon.output}`);
        if (watched.stalls().length > 0) await expectNoStall([...before, ...batch], send);
        before = batch;
      },
    );
    const runs = Math.ceil(cases / TOGETHER);
    await fc.assert(property, { numRuns: Math.ceil(runs / 4) });
    const warm = await watched.memory();
    await fc.assert(property, { numRuns: Math.floor((runs * 3) / 4) });
    const { heapMB, rssMB } = await watched.memory();
    expect(heapMB - warm.heapMB).toBeLessThan(MOST_HEAP_GROWTH_MB);
    expect(rssMB - warm.rssMB).toBeLessThan(MOST_RSS_GROWTH_MB);
    watched.stalls();
    return statuses;
  }

  /** Each case by itself: what the machine does beside it does not come with it again and again. */
  async function expectNoStall<Case>(
    batch: Case[],
    send: (one: Case) => Promise<TestResponse>,
  ): Promise<void> {
    for (const one of batch) {
      let stalled = true;
      for (let i = 0; i < TRIES && stalled; i += 1) {
        watched.stalls();
        await send(one);
        await watched.memory();
        stalled = watched.stalls().length > 0;
      }
      if (stalled) throw new Error(`The event loop stood still for it: ${fc.stringify(one)}`);
    }
  }
}

/** Not an error of the daemon's own, and a refusal as RFC 9457 has it. */
function expectWellFormed({ status, headers, json, text }: TestResponse, one: unknown): void {
  const { code, status: told } = (json ?? {}) as { code?: unknown; status?: unknown };
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  if (status >= 500 || (status >= 400 && (!isProblem || typeof code !== 'string' || told !== status)))
    throw new Error(
      `It answered ${status} ${headers['content-type']} ${text.slice(0, 500)} to ${fc.stringify(one)}`,
    );
}
