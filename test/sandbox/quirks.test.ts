import { z } from 'zod';
import { describeQuirks } from '../../src/sandbox/quirks/describe-quirks';
import { parseQuirks } from '../../src/sandbox/quirks/quirk-changes';
import { startSandbox } from '../../src/sandbox/start-sandbox';
import { Client } from './client';
import { parseResponse } from './parse-response';
import { patchSandbox } from './patch-sandbox';
import { until } from '../support/until';
import {
  client,
  clock,
  receiver,
  replaceSandbox,
  sandbox,
  setQuirks,
  tokens,
  useConnectedSandbox,
} from './connected-sandbox';

/** The quirks other than faults, as seen over HTTP. */
useConnectedSandbox();

const current = async (): Promise<object> => (await fetch(`${sandbox.baseUrl}/panel/quirks`)).json();
const dealsStatus = async (token: string): Promise<number> =>
  (await client.api('GET', '/v1/deals', token)).status;

describe('quirks', () => {
  test('are read together and changed individually', async () => {
    const before = await current();
    expect(before).toMatchObject({
      signature_format: 'bare',
      list_format: 'data',
      token_lifetime_seconds: 3600,
    });
    const changed = await setQuirks({ list_format: 'array' });
    expect(changed).toEqual({ status: 200, body: { ...before, list_format: 'array' } });
    expect(await current()).toEqual(changed.body);
  });

  test('are rejected with all errors listed, and nothing changes', async () => {
    const wrong = { list_format: 'tree', page_size: 0, token_lifetime_seconds: 1.5, colour: 'red' };
    const { status, body } = await setQuirks({ ...wrong, signature_format: 'sha256' });
    expect(status).toBe(422);
    const { detail, errors } = z
      .object({ detail: z.string(), errors: z.array(z.object({ field: z.string() })) })
      .parse(body);
    expect(errors.map(({ field }) => field).toSorted()).toEqual([
      'body',
      'list_format',
      'page_size',
      'token_lifetime_seconds',
    ]);
    expect(detail).toContain('There is no colour. Send one of: signature_header, ');
    expect(detail).toContain('Send one of data, array, named, items, nested.');
    expect(await current()).toMatchObject({
      signature_format: 'bare',
    });
  });

  test.each([['content-type'], ['Host'], ['a b'], [''], ['connection']])(
    'cannot use %p as the signature header',
    async (name) => expect((await setQuirks({ signature_header: name })).status).toBe(422),
  );

  test('can be set at startup', async () => {
    await replaceSandbox({ token_lifetime_seconds: 7 });
    expect((await new Client(sandbox).connect()).expires_in).toBe(7);
    const unknown = { quirks: { page_size: -1 } };
    await expect(startSandbox(unknown)).rejects.toThrow('page_size: Send a whole number from 1 to 1000.');
  });

  test('can be set on the command line as name=value, faults also as name', () => {
    expect(
      parseQuirks([
        'signature_format=sha256',
        'page_size=2',
        'webhook_limit_status=422',
        'api_500',
        'api_401=3',
        'api_403=true',
        'api_429=false',
      ]),
    ).toEqual({
      signature_format: 'sha256',
      page_size: 2,
      webhook_limit_status: '422',
      api_500: true,
      api_401: 3,
      api_403: true,
      api_429: false,
    });
    expect(() => parseQuirks(['page_size=many', 'colour=red'])).toThrow(/page_size: .*There is no colour/s);
    for (const fault of ['api_500=never', 'api_500=', 'api_500=0'])
      expect(() => parseQuirks([fault])).toThrow('api_500: Send true, false');
    for (const name of ['webhook_limit', 'signature_format', 'signature_header'])
      expect(() => parseQuirks([name])).toThrow(`${name}: Send `);
  });

  test('are all described on the panel and in the help of the command', async () => {
    const page = await (await fetch(`${sandbox.baseUrl}/panel`)).text();
    const quirks = z.record(z.string(), z.unknown()).parse(await current());
    expect(Object.keys(quirks).length).toBeGreaterThan(20);
    for (const name of Object.keys(quirks)) {
      expect(page).toContain(`name="${name}"`);
      expect(describeQuirks()).toMatch(new RegExp(`^  ${name}(=.*)?$`, 'm'));
    }
    for (const text of [page, describeQuirks()]) expect(text).toContain('The API responds with 403.');
  });

  test('that are faults have their own route, which rejects others', async () => {
    const faults = z
      .record(z.string(), z.unknown())
      .parse(await (await fetch(`${sandbox.baseUrl}/panel/faults`)).json());
    expect(Object.keys(faults)).toHaveLength(17);
    expect(await patchSandbox(sandbox, 'faults', { api_500: 2 })).toEqual({
      status: 200,
      body: { ...faults, api_500: 2 },
    });
    expect(await current()).toMatchObject({ api_500: 2 });
    expect((await patchSandbox(sandbox, 'faults', { page_size: 2 })).status).toBe(422);
  });
});

describe('the signature (document, 5.6)', () => {
  test.each([
    ['bare', /^[0-9a-f]{64}$/],
    ['sha256', /^sha256=[0-9a-f]{64}$/],
    ['t_v1', /^t=1772443800,v1=[0-9a-f]{64}$/],
  ])('has format %s, in the configured header', async (shape, form) => {
    await client.register(tokens.access_token, { url: receiver.url });
    await setQuirks({ signature_format: shape, signature_header: 'X-Other-Signature' });
    sandbox.emit('deal.created');
    await receiver.untilReceived(1);
    const [request] = receiver.received;
    expect(request?.headers['x-other-signature']).toMatch(form);
    expect(request?.headers).not.toHaveProperty('x-copilot-signature');
  });
});

describe('tokens (document, 4.2, 5.3 and 5.4)', () => {
  test('a refresh returns no new refresh token if they are reusable, and the old one remains valid', async () => {
    await setQuirks({ refresh_token: 'reusable' });
    for (let i = 0; i < 3; i++) {
      const { response, body } = await client.refresh(tokens.refresh_token);
      expect(response.status).toBe(200);
      expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, refresh_token: '' });
      expect((await client.api('GET', '/v1/deals', body.access_token)).status).toBe(200);
    }
    await setQuirks({ refresh_token: 'rotated' });
    expect((await client.refresh(tokens.refresh_token)).body.refresh_token).not.toBe('');
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('access tokens have the lifetime that was configured when they were issued', async () => {
    await setQuirks({ token_lifetime_seconds: 5 });
    const { body } = await client.refresh(tokens.refresh_token);
    expect(body.expires_in).toBe(5);
    clock.move(4_999);
    expect(await dealsStatus(body.access_token)).toBe(200);
    clock.move(1);
    expect(await dealsStatus(body.access_token)).toBe(401);
    expect(await dealsStatus(tokens.access_token)).toBe(200);
  });
});

describe('retries (document, 6.3)', () => {
  const deliveries = z.object({
    data: z.array(z.object({ state: z.string(), attempts: z.array(z.object({ at: z.string() })) })),
  });

  const latest = async (id: string) => {
    const response = await fetch(`${sandbox.baseUrl}/panel/webhooks/${id}/deliveries`);
    return (await parseResponse(response, deliveries)).data[0];
  };
  const untilRetrying = (id: string, attempts: number): Promise<void> =>
    until(`retrying after ${attempts} attempts`, async () => {
      const delivery = await latest(id);
      return delivery?.state === 'retrying' && delivery.attempts.length === attempts;
    });

  test('follow 5 and 25 seconds after the start of the first attempt, if configured', async () => {
    await setQuirks({ retry_delay: 'since_first_attempt' });
    const id = await client.register(tokens.access_token, { url: receiver.url });
    receiver.respondWith(() => undefined);
    sandbox.emit('deal.created');
    await receiver.untilReceived(1);
    clock.move(5_000); // no response: failed, and the second attempt is due already
    await receiver.untilReceived(2);
    receiver.respondWith(500);
    clock.move(5_000);
    await untilRetrying(id, 2);
    clock.move(14_999);
    expect(clock.pendingTimers).toBe(1); // that of the retry
    clock.move(1);
    await receiver.untilReceived(3);
    await until('the end', async () => (await latest(id))?.state === 'failed');
    const times = (await latest(id))?.attempts.map(({ at }) => Date.parse(at)) ?? [];
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 5_000, 25_000]);
  });

  test('have the time of the attempt as timestamp, if configured', async () => {
    await setQuirks({ retry_timestamp: 'new' });
    const id = await client.register(tokens.access_token, { url: receiver.url });
    receiver.respondWith(500);
    sandbox.emit('deal.created');
    await untilRetrying(id, 1);
    clock.move(5_000);
    await receiver.untilReceived(2);
    const [first, second] = receiver.notifications();
    expect(Date.parse(second?.timestamp ?? '') - Date.parse(first?.timestamp ?? '')).toBe(5_000);
    expect({ ...second, timestamp: first?.timestamp }).toEqual(first);
    const [one, two] = receiver.received.map(({ headers }) => headers['x-copilot-signature']);
    expect(two).not.toBe(one);
  });
});
