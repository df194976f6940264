import { z } from 'zod';
import { client, clock, receiver, setQuirks, tokens, useConnectedSandbox } from './connected-sandbox';
import { parseResponse } from './parse-response';

/** The list of deals (document, 4.7), as seen over HTTP. */
useConnectedSandbox();

const deal = z.looseObject({ id: z.number(), name: z.string(), updated_at: z.string().optional() });
const list = z.object({ data: z.array(deal) });
const nestedPage = z.strictObject({
  result: z.strictObject({
    deals: z.array(deal),
    paging: z.strictObject({ offset: z.number(), limit: z.number(), total: z.number() }),
  }),
});

const read = (path = '/v1/deals'): Promise<Response> => client.api('GET', path, tokens.access_token);
const idsOf = async (page: Response) => (await parseResponse(page, list)).data.map(({ id }) => id);
const deals = async () => (await parseResponse(await read(), list)).data;

/** Another user of the account. */
const change = (method: string, id: number, body: object) =>
  client.api(method, `/panel/deals/${id}`, '', body);

test('the list is paged by offset, beside the records or below one object', async () => {
  const all = await deals();
  await setQuirks({ list_paging: 'offset', list_format: 'nested', page_size: 5 });
  const seen: number[] = [];
  for (let path: string | undefined = '/v1/deals'; path !== undefined;) {
    const response = await read(path);
    const { result } = await parseResponse(response, nestedPage);
    expect(result.paging).toEqual({ offset: seen.length, limit: 5, total: all.length });
    seen.push(...result.deals.map(({ id }) => id));
    path = /^<(.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(all.map(({ id }) => id));
  expect((await read('/v1/deals?offset=-1')).status).toBe(400);
});

test('a deal can be listed by its last change, and without its time', async () => {
  const [first] = await deals();
  clock.move(1_000);
  expect((await change('PATCH', first!.id, { name: 'Changed last' })).status).toBe(200);
  await setQuirks({ deals_order: 'changed' });
  expect((await deals())[0]).toMatchObject({ id: first!.id, updated_at: expect.any(String) });
  await setQuirks({ deals_fields: 'no_updated_at' });
  expect((await deals())[0]).not.toHaveProperty('updated_at');
});

test('its faults refuse it, let one request in three fail, and repeat the first page', async () => {
  await setQuirks({ deals_403: 1 });
  expect((await read()).status).toBe(403);
  await setQuirks({ deals_page_500: true });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) statuses.push((await read()).status);
  expect(statuses.filter((status) => status === 500)).toHaveLength(2);
  await setQuirks({ deals_page_500: false, deals_page_repeated: true, list_paging: 'page', page_size: 2 });
  const [first, second] = [await read(), await read('/v1/deals?page=2')];
  expect(await idsOf(second)).toEqual(await idsOf(first));
});

test('a change of a deal sends no event if its request says so', async () => {
  await client.register(tokens.access_token, {
    url: receiver.url,
    events: ['deal.updated', 'deal.status_changed', 'deal.deleted'],
  });
  const [silent, deleted, loud] = await deals();
  await change('PATCH', silent!.id, { name: 'Silent', notify: false });
  expect((await change('DELETE', deleted!.id, { notify: false })).status).toBe(204);
  expect((await change('PATCH', loud!.id, { name: 'Loud', notify: 'no' })).status).toBe(422);
  await change('PATCH', loud!.id, { name: 'Loud', notify: true });
  await receiver.untilReceived(1);
  expect(receiver.notifications().map(({ data }) => data['name'])).toEqual(['Loud']);
  const listed = await deals();
  expect(listed.find(({ id }) => id === silent!.id)).toMatchObject({ name: 'Silent' });
  expect(listed.map(({ id }) => id)).not.toContain(deleted!.id);
});
