import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import type { Problem } from '../../src/contract/problem';
import { HttpClient, type TestResponse } from '../support/http';
import { DescribedApi, type ApiDocument } from '../support/api/described-api';
import { ApiRequests, type ApiRequest } from './api-requests';
import { notificationBody } from './notifications';
import { WatchedDaemon } from './watched-daemon';

/** Cases that run concurrently. */
const BATCH_SIZE = 16;
/** A case that blocks the event loop does so each time; other load does not. */
const MAX_MEASUREMENTS = 3;
/** A case takes a few milliseconds, on a busy machine more. */
const CASE_TIMEOUT_MS = 50;
const BASE_TIMEOUT_MS = 300_000;
const MAX_HEAP_GROWTH_MB = 32;
const MAX_RSS_GROWTH_MB = 200;
/** What no schema can say, but the description of the document. */
const IN_WORDS =
  /nested deeper|more than any request needs|__proto__|prototype|after|as_of|cursor|payload|lowercase letters/;

const MAX_HEAD_BYTES = 16_384;
/** The answer to a larger head. The connection is closed before the end of that head, so the answer may be lost. */
const LOST: TestResponse = {
  status: 431,
  headers: { 'content-type': 'application/problem+json' },
  json: { status: 431, code: 'headers_too_large' },
  body: Buffer.alloc(0),
  text: '',
};

/** Sends `cases` random requests of each kind to a daemon. @param seed by default another one each time */
export function fuzzOverHttp(cases: number, seed?: number): void {
  let watched: WatchedDaemon;
  let wire: HttpClient;
  let requests: ApiRequests;
  let api: DescribedApi;
  const seeded = seed === undefined ? {} : { seed };
  const withinMs = BASE_TIMEOUT_MS + cases * CASE_TIMEOUT_MS;

  // One daemon per test: requests may disconnect it from Co-Pilot, and stored notifications make lists long.
  beforeEach(async () => {
    watched = await WatchedDaemon.start();
    const { daemon } = watched;
    wire = new HttpClient(Number(new URL(daemon.url).port));
    api = new DescribedApi(await daemon.get<ApiDocument>('/openapi.json'));
    requests = new ApiRequests(api.document, await prepare());
  });
  afterEach(async () => {
    wire?.close();
    await watched?.close();
  });

  it(
    'responds to any query of any list',
    async () => {
      const statuses = await check(requests.queries(), ask);
      expect(statuses.get(200)).toBeGreaterThan(cases / 20);
      expect(statuses.get(400)).toBeGreaterThan(cases / 20);
    },
    withinMs,
  );

  it(
    'responds to any body of any route',
    async () => {
      const statuses = await check(requests.bodies(), ask);
      expect(statuses.get(400)).toBeGreaterThan(cases / 10);
      expect(statuses.get(200)).toBeGreaterThan(cases / 50);
    },
    withinMs,
  );

  it(
    'responds to any signed notification',
    async () => {
      const statuses = await check(notificationBody, notify);
      expect(statuses.get(200)).toBeGreaterThan(cases / 2);
    },
    withinMs,
  );

  /** Creates some of everything that has an id. @returns their ids, and cursors */
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
    await daemon.request('POST', '/consumers', { name: 'reader', start: 'oldest' });
    const known = new Set([target, 'reader']);
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

  async function ask(one: ApiRequest): Promise<TestResponse> {
    const { method, path, contentType, body } = one;
    const bearer: [string, string] = ['authorization', `Bearer ${watched.daemon.token}`];
    const type: [string, string][] = contentType === null ? [] : [['content-type', contentType]];
    const response = await wire
      .send(path, { method, headers: [bearer, ...type], ...(body !== null && { body }) })
      .catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' && path.length > MAX_HEAD_BYTES) return LOST;
        throw error;
      });
    if (response === LOST) return LOST;
    expectAsDescribed(one, response);
    // Thousands of targets would slow down the daemon.
    const { id } = (response.json ?? {}) as { id?: string };
    if (response.status === 201 && id?.startsWith('tgt_') === true)
      await wire.send(`/api/v1/targets/${id}`, { method: 'DELETE', headers: [bearer] });
    return response;
  }

  /** Nothing that the document does not declare, and no refusal of what it allows. */
  function expectAsDescribed(one: ApiRequest, response: TestResponse): void {
    const { code, detail = '', errors = [] } = (response.json ?? {}) as Partial<Problem>;
    const faults = api.undeclared(one.method, one.path, response);
    const isInWords = IN_WORDS.test([detail, ...errors.map(({ path }) => path)].join(' '));
    // The parser refuses a body with such a name as if it were not JSON.
    const isPoisoned = /__proto__|constructor/.test(one.body ?? '');
    if (code === 'invalid_request' && !isInWords && !isPoisoned && api.allows(one))
      faults.push('the refusal');
    if (faults.length > 0)
      throw new Error(
        `Not in the document: ${faults.join(', ')}: ${response.text.slice(0, 500)} in response to ${fc.stringify(one)}`,
      );
  }

  /**
   * Checks all responses, and the memory after the first quarter of the runs. @returns how often each status
   * was sent
   */
  async function check<Case>(
    one: fc.Arbitrary<Case>,
    send: (one: Case) => Promise<TestResponse>,
  ): Promise<Map<number, number>> {
    const statuses = new Map<number, number>();
    let before: Case[] = [];
    const property = fc.asyncProperty(
      fc.array(one, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE }),
      async (batch) => {
        const responses = await Promise.all(batch.map(send));
        for (const [i, response] of responses.entries()) {
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          expectWellFormed(response, batch[i]);
        }
        if (!watched.daemon.isRunning) throw new Error(`The daemon exited:\n${watched.daemon.output}`);
        if (watched.stalls().length > 0) await expectNoStall([...before, ...batch], send);
        before = batch;
      },
    );
    const runs = Math.ceil(cases / BATCH_SIZE);
    await fc.assert(property, { ...seeded, numRuns: Math.ceil(runs / 4) });
    const warm = await watched.memory();
    await fc.assert(property, { ...seeded, numRuns: Math.floor((runs * 3) / 4) });
    const { heapMB, rssMB } = await watched.memory();
    expect(heapMB - warm.heapMB).toBeLessThan(MAX_HEAP_GROWTH_MB);
    expect(rssMB - warm.rssMB).toBeLessThan(MAX_RSS_GROWTH_MB);
    watched.stalls();
    return statuses;
  }

  /** Repeats each case alone, to exclude stalls that other load causes. */
  async function expectNoStall<Case>(
    batch: Case[],
    send: (one: Case) => Promise<TestResponse>,
  ): Promise<void> {
    for (const one of batch) {
      let stalled = true;
      for (let i = 0; i < MAX_MEASUREMENTS && stalled; i += 1) {
        watched.stalls();
        await send(one);
        await watched.memory();
        stalled = watched.stalls().length > 0;
      }
      if (stalled) throw new Error(`This case blocks the event loop: ${fc.stringify(one)}`);
    }
  }
}

/** No internal error; client errors as in RFC 9457. */
function expectWellFormed({ status, headers, json, text }: TestResponse, one: unknown): void {
  const { code, status: reported } = (json ?? {}) as { code?: unknown; status?: unknown };
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  if (status >= 500 || (status >= 400 && (!isProblem || typeof code !== 'string' || reported !== status)))
    throw new Error(
      `${status} ${headers['content-type']} ${text.slice(0, 500)} in response to ${fc.stringify(one)}`,
    );
}
