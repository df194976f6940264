import { z } from 'zod';
import { describeQuirks } from '../../src/sandbox/quirks/describe-quirks';
import { parseFaults, parseReadings } from '../../src/sandbox/quirks/parse-quirks';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client, type TokenAnswer } from './client';
import { TimerClock } from './timer-clock';
import { readAnswer } from './read-answer';
import { type Receiver, startReceiver } from './receiver';
import { turn } from './turn-switches';
import { until } from '../support/until';

/** What the document leaves open, each a switch whose effect is seen over HTTP. */
let clock: TimerClock;
let sandbox: Sandbox;
let receiver: Receiver;
let client: Client;
let tokens: TokenAnswer;

beforeEach(async () => {
  clock = new TimerClock();
  receiver = await startReceiver();
  sandbox = await startSandbox({ consent: 'grant', clock });
  client = new Client(sandbox);
  tokens = await client.connect('webhooks,deals');
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

const WEBHOOK = { url: 'https://relay.example/hooks', events: ['deal.created'], active: true, secret: 's' };

const read = (changes: object): Promise<{ status: number; body: unknown }> =>
  turn(sandbox, 'readings', changes);
const create = (): Promise<Response> => client.api('POST', '/v1/webhooks', tokens.access_token, WEBHOOK);
const list = (path = '/v1/webhooks'): Promise<Response> => client.api('GET', path, tokens.access_token);

describe('the switches', () => {
  test('are read all at once and changed one by one', async () => {
    const before = await (await fetch(`${sandbox.baseUrl}/panel/readings`)).json();
    expect(before).toMatchObject({ signature_shape: 'bare', list_shape: 'data', token_life_seconds: 3600 });
    const changed = await read({ list_shape: 'array' });
    expect(changed).toEqual({ status: 200, body: { ...before, list_shape: 'array' } });
    expect(await (await fetch(`${sandbox.baseUrl}/panel/readings`)).json()).toEqual(changed.body);
  });

  test('are refused with every fault named, and nothing is changed', async () => {
    const wrong = { list_shape: 'tree', page_size: 0, token_life_seconds: 1.5, colour: 'red' };
    const { status, body } = await read({ ...wrong, signature_shape: 'sha256' });
    expect(status).toBe(422);
    const { detail, errors } = z
      .object({ detail: z.string(), errors: z.array(z.object({ field: z.string() })) })
      .parse(body);
    expect(errors.map(({ field }) => field).toSorted()).toEqual([
      'body',
      'list_shape',
      'page_size',
      'token_life_seconds',
    ]);
    expect(detail).toContain('There is no colour. Send one of: signature_header, ');
    expect(detail).toContain('Send one of data, array, named, items.');
    expect(await (await fetch(`${sandbox.baseUrl}/panel/readings`)).json()).toMatchObject({
      signature_shape: 'bare',
    });
  });

  test.each([['content-type'], ['Host'], ['a b'], [''], ['connection']])(
    'the header of the signature cannot be %p',
    async (name) => expect((await read({ signature_header: name })).status).toBe(422),
  );

  test('are given at the start, too', async () => {
    await sandbox.close();
    sandbox = await startSandbox({ consent: 'grant', readings: { token_life_seconds: 7 } });
    expect((await new Client(sandbox).connect()).expires_in).toBe(7);
    const unknown = { readings: { page_size: -1 } };
    await expect(startSandbox(unknown)).rejects.toThrow('page_size: Send a whole number from 1 to 1000.');
  });

  test('are given on the command line as name=value, faults also as name or name=times', () => {
    expect(parseReadings(['signature_shape=sha256', 'page_size=2', 'webhook_limit_status=422'])).toEqual({
      signature_shape: 'sha256',
      page_size: 2,
      webhook_limit_status: '422',
    });
    expect(parseFaults(['api_500', 'api_401=3'])).toEqual({ api_500: true, api_401: 3 });
    expect(() => parseReadings(['page_size=many', 'colour=red'])).toThrow(/page_size: .*There is no colour/s);
    expect(() => parseFaults(['api_500=never'])).toThrow('api_500: Send true, false');
  });

  test('are all on the page of the panel and in the help of the command line, with their sentences', async () => {
    const page = await (await fetch(`${sandbox.baseUrl}/panel`)).text();
    const names = ['readings', 'faults'].map(async (kind) =>
      Object.keys(
        z
          .record(z.string(), z.unknown())
          .parse(await (await fetch(`${sandbox.baseUrl}/panel/${kind}`)).json()),
      ),
    );
    for (const name of (await Promise.all(names)).flat()) {
      expect(page).toContain(`name="${name}"`);
      expect(describeQuirks()).toMatch(new RegExp(`^  ${name}(=.*)?$`, 'm'));
    }
    for (const text of [page, describeQuirks()]) expect(text).toContain('The API responds with 403.');
  });
});

describe('the signature (document, 5.6)', () => {
  test.each([
    ['bare', /^[0-9a-f]{64}$/],
    ['sha256', /^sha256=[0-9a-f]{64}$/],
    ['t_v1', /^t=1772443800,v1=[0-9a-f]{64}$/],
  ])('has the shape %s, in the header that is named', async (shape, form) => {
    await client.register(tokens.access_token, { url: receiver.url });
    await read({ signature_shape: shape, signature_header: 'X-Other-Signature' });
    sandbox.emit('deal.created');
    await receiver.untilReceived(1);
    const [request] = receiver.received;
    expect(request?.headers['x-other-signature']).toMatch(form);
    expect(request?.headers).not.toHaveProperty('x-copilot-signature');
  });
});

describe('lists (document, 4.4 and 8)', () => {
  test.each([
    ['data', (records: object[]) => ({ data: records })],
    ['array', (records: object[]) => records],
    ['named', (records: object[]) => ({ webhooks: records })],
    ['items', (records: object[]) => ({ items: records })],
  ])('stand in the shape %s', async (shape, shaped) => {
    const record = await (await create()).json();
    await read({ list_shape: shape });
    expect(await (await list()).json()).toEqual(shaped([record]));
    const deals = await (await list('/v1/deals')).json();
    if (shape === 'named') expect(deals).toHaveProperty('deals');
  });

  const page = z.object({
    data: z.array(z.object({ webhook_id: z.string() })),
    next_cursor: z.string().nullish(),
    page: z.number().optional(),
    pages: z.number().optional(),
  });

  test('are cut by cursor, which leads through all of them, once each', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await client.register(tokens.access_token, WEBHOOK));
    await read({ list_paging: 'cursor', page_size: 2 });
    const seen: string[][] = [];
    for (let query = '', more = true; more;) {
      const { data, next_cursor: cursor } = await readAnswer(await list(`/v1/webhooks${query}`), page);
      seen.push(data.map((record) => record.webhook_id));
      query = `?cursor=${cursor}`;
      more = cursor !== null;
    }
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect((await list('/v1/webhooks?cursor=made-up')).status).toBe(400);
  });

  test('are cut by page, with the number of pages beside them', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await client.register(tokens.access_token, WEBHOOK));
    await read({ list_paging: 'page', page_size: 2 });
    const first = await readAnswer(await list(), page);
    const second = await readAnswer(await list('/v1/webhooks?page=2'), page);
    expect([first, second]).toMatchObject([
      { page: 1, pages: 2, data: [{ webhook_id: ids[0] }, { webhook_id: ids[1] }] },
      { page: 2, pages: 2, data: [{ webhook_id: ids[2] }] },
    ]);
    expect((await list('/v1/webhooks?page=0')).status).toBe(400);
  });

  test('name the next page in a Link header, which is all that a bare list has', async () => {
    for (let i = 0; i < 3; i++) await create();
    await read({ list_paging: 'page', page_size: 2, list_shape: 'array' });
    const first = await list();
    expect(first.headers.get('link')).toBe('</v1/webhooks?page=2>; rel="next"');
    expect(await first.json()).toHaveLength(2);
    const last = await list('/v1/webhooks?page=2');
    expect(last.headers.get('link')).toBeNull();
    expect(await last.json()).toHaveLength(1);
  });
});

describe('creating a webhook (document, 4.3 and 8)', () => {
  const record = { webhook_id: expect.stringMatching(/^wh_\d+$/), url: WEBHOOK.url };

  test.each([
    ['record', 201, record],
    ['data', 201, { data: record }],
    ['webhook', 201, { webhook: record }],
  ])('answers %s', async (answer, status, body) => {
    await read({ create_answer: answer });
    const created = await create();
    expect([created.status, await created.json()]).toMatchObject([status, body]);
  });

  test.each([
    ['empty_201', 201],
    ['empty_204', 204],
  ])('answers %s, and the webhook is there', async (answer, status) => {
    await read({ create_answer: answer });
    const created = await create();
    expect([created.status, await created.text(), created.headers.get('location')]).toEqual([
      status,
      '',
      null,
    ]);
    expect(await (await list()).json()).toMatchObject({ data: [record] });
  });

  test.each([['409'], ['422']])('is refused with %s beyond the limit, per application', async (status) => {
    await read({ webhook_limit: 1, webhook_limit_status: status });
    const id = await client.register(tokens.access_token, WEBHOOK);
    const second = await create();
    expect([second.status, await second.json()]).toMatchObject([
      Number(status),
      { code: 'webhook_limit_reached' },
    ]);
    const other = new Client(sandbox);
    const { access_token: otherToken } = await other.connect('webhooks');
    expect((await other.api('POST', '/v1/webhooks', otherToken, WEBHOOK)).status).toBe(201);
    await client.api('DELETE', `/v1/webhooks/${id}`, tokens.access_token);
    expect((await create()).status).toBe(201);
  });
});

describe('tokens (document, 4.2, 5.3 and 5.4)', () => {
  test('a refresh brings no new refresh token where the reading says so, and the old one stays valid', async () => {
    await read({ refresh_token: 'kept' });
    for (let i = 0; i < 3; i++) {
      const { answer, body } = await client.refresh(tokens.refresh_token);
      expect(answer.status).toBe(200);
      expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, refresh_token: '' });
      expect((await client.api('GET', '/v1/deals', body.access_token)).status).toBe(200);
    }
    await read({ refresh_token: 'new' });
    expect((await client.refresh(tokens.refresh_token)).body.refresh_token).not.toBe('');
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('access tokens live as long as the reading says, those issued before as long as was said then', async () => {
    await read({ token_life_seconds: 5 });
    const { body } = await client.refresh(tokens.refresh_token);
    expect(body.expires_in).toBe(5);
    const status = async (token: string): Promise<number> =>
      (await client.api('GET', '/v1/deals', token)).status;
    clock.move(4_999);
    expect(await status(body.access_token)).toBe(200);
    clock.move(1);
    expect(await status(body.access_token)).toBe(401);
    expect(await status(tokens.access_token)).toBe(200);
  });
});

describe('retries (document, 6.3)', () => {
  const deliveries = z.object({
    data: z.array(z.object({ state: z.string(), attempts: z.array(z.object({ at: z.string() })) })),
  });

  const latest = async (id: string) => {
    const answer = await fetch(`${sandbox.baseUrl}/panel/webhooks/${id}/deliveries`);
    return (await readAnswer(answer, deliveries)).data[0];
  };
  const untilWaiting = (id: string, made: number): Promise<void> =>
    until(`waiting after ${made} attempts`, async () => {
      const delivery = await latest(id);
      return delivery?.state === 'retrying' && delivery.attempts.length === made;
    });

  test('come 5 and 25 seconds after the first attempt began, where delays count from there', async () => {
    await read({ retry_delay: 'since_first_attempt' });
    const id = await client.register(tokens.access_token, { url: receiver.url });
    receiver.answerWith(() => undefined);
    sandbox.emit('deal.created');
    await receiver.untilReceived(1);
    clock.move(5_000); // no answer: failed, and the second attempt is due already
    await receiver.untilReceived(2);
    receiver.answerWith(500);
    clock.move(5_000);
    await untilWaiting(id, 2);
    clock.move(14_999);
    expect(clock.alarmsSet).toBe(1); // that of the retry
    clock.move(1);
    await receiver.untilReceived(3);
    await until('the end', async () => (await latest(id))?.state === 'failed');
    const times = (await latest(id))?.attempts.map(({ at }) => Date.parse(at)) ?? [];
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 5_000, 25_000]);
  });

  test('carry the time of the event, or that of the attempt where they are stamped anew', async () => {
    await read({ retry_stamp: 'anew' });
    const id = await client.register(tokens.access_token, { url: receiver.url });
    receiver.answerWith(500);
    sandbox.emit('deal.created');
    await untilWaiting(id, 1);
    clock.move(5_000);
    await receiver.untilReceived(2);
    const [first, second] = receiver.notifications();
    expect(Date.parse(second?.timestamp ?? '') - Date.parse(first?.timestamp ?? '')).toBe(5_000);
    expect({ ...second, timestamp: first?.timestamp }).toEqual(first);
    const [one, two] = receiver.received.map(({ headers }) => headers['x-copilot-signature']);
    expect(two).not.toBe(one);
  });
});
