import { z } from 'zod';
import { Client } from './client';
import { parseResponse } from './parse-response';
import { client, sandbox, setQuirks, tokens, useConnectedSandbox } from './connected-sandbox';

/** The quirks other than faults, as seen over HTTP. */
useConnectedSandbox();

const WEBHOOK = { url: 'https://relay.example/hooks', events: ['deal.created'], active: true, secret: 's' };

const create = (): Promise<Response> => client.api('POST', '/v1/webhooks', tokens.access_token, WEBHOOK);
const list = (path = '/v1/webhooks'): Promise<Response> => client.api('GET', path, tokens.access_token);

describe('lists (document, 4.4 and 8)', () => {
  test.each([
    ['data', (records: object[]) => ({ data: records })],
    ['array', (records: object[]) => records],
    ['named', (records: object[]) => ({ webhooks: records })],
    ['items', (records: object[]) => ({ items: records })],
  ])('have format %s', async (shape, shaped) => {
    const record = await (await create()).json();
    await setQuirks({ list_format: shape });
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

  test('are paged by cursor, with each record once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await client.register(tokens.access_token, WEBHOOK));
    await setQuirks({ list_paging: 'cursor', page_size: 2 });
    const seen: string[][] = [];
    for (let query = '', more = true; more;) {
      const { data, next_cursor: cursor } = await parseResponse(await list(`/v1/webhooks${query}`), page);
      seen.push(data.map((record) => record.webhook_id));
      query = `?cursor=${cursor}`;
      more = cursor !== null;
    }
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect((await list('/v1/webhooks?cursor=made-up')).status).toBe(400);
  });

  test('are paged by number, with the number of pages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await client.register(tokens.access_token, WEBHOOK));
    await setQuirks({ list_paging: 'page', page_size: 2 });
    const first = await parseResponse(await list(), page);
    const second = await parseResponse(await list('/v1/webhooks?page=2'), page);
    expect([first, second]).toMatchObject([
      { page: 1, pages: 2, data: [{ webhook_id: ids[0] }, { webhook_id: ids[1] }] },
      { page: 2, pages: 2, data: [{ webhook_id: ids[2] }] },
    ]);
    expect((await list('/v1/webhooks?page=0')).status).toBe(400);
  });

  test('name the next page in a Link header, the only way in a bare array', async () => {
    for (let i = 0; i < 3; i++) await create();
    await setQuirks({ list_paging: 'page', page_size: 2, list_format: 'array' });
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
  ])('responds with %s', async (response, status, body) => {
    await setQuirks({ create_response: response });
    const created = await create();
    expect([created.status, await created.json()]).toMatchObject([status, body]);
  });

  test.each([
    ['empty_201', 201],
    ['empty_204', 204],
  ])('responds with %s, and the webhook exists', async (response, status) => {
    await setQuirks({ create_response: response });
    const created = await create();
    expect([created.status, await created.text(), created.headers.get('location')]).toEqual([
      status,
      '',
      null,
    ]);
    expect(await (await list()).json()).toMatchObject({ data: [record] });
  });

  test.each([['409'], ['422']])('is rejected with %s above the limit of the application', async (status) => {
    await setQuirks({ webhook_limit: 1, webhook_limit_status: status });
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
