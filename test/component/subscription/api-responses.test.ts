import { urlContainsKey, readCreatedId, readWebhooks } from '../../../src/relay/subscription/read-webhooks';
import { readRefusal } from '../../../src/relay/subscription/read-refusal';

const URL = 'https://hub.example/hooks/key';
const ours = { webhook_id: 'wh_17', url: URL };
const idsIn = (body: unknown) => readWebhooks(body).map(({ webhookId }) => webhookId);
const isOurs = (url: string | null) =>
  urlContainsKey({ webhookId: 'wh_1', url, events: null, active: null }, 'key');
const other = { webhook_id: 'wh_18', url: 'https://elsewhere.example/' };

describe('The id in the answer to a create', () => {
  it.each([
    ['the record', ours],
    ['a record in data', { data: ours }],
    ['a record in webhook', { webhook: ours }],
    ['a record that calls it id', { id: 'wh_17', url: URL }],
  ])('is found in %s', (_, body) => {
    expect(readCreatedId(body)).toBe('wh_17');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'created'],
    ['a list', [ours]],
    ['an id of another form', { id: 17 }],
    ['an id that is no text', { webhook_id: 17 }],
  ])('is not made up from %s', (_, body) => {
    expect(readCreatedId(body)).toBeNull();
  });
});

describe('The webhooks in an answer', () => {
  it.each([
    ['a list', [other, ours]],
    ['data', { data: [other, ours], meta: { total: 2 } }],
    ['webhooks', { url: '/v1/webhooks', webhooks: [other, ours] }],
    ['_embedded', { _embedded: { webhooks: [other, ours] } }],
    ['an object by id', { wh_18: other, wh_17: ours }],
  ])('are found in %s', (_, body) => {
    expect(idsIn(body)).toEqual(['wh_18', 'wh_17']);
  });

  it('are shown with what they tell, whatever else they hold', () => {
    const owner = { id: 7, url: 'https://copilot.example/users/7' };
    const told = { events: ['deal.created'], active: false };
    expect(readWebhooks([{ ...ours, ...told, owner }, other])).toEqual([
      { webhookId: 'wh_17', url: URL, ...told },
      { webhookId: 'wh_18', url: other.url, events: null, active: null },
    ]);
  });

  it('are ours where our key is a part of the address', () => {
    for (const url of [URL, `${URL}/`, `${URL}?a=b`]) expect(isOurs(url)).toBe(true);
    for (const url of [`${URL}2`, URL.toUpperCase(), 'https://hub.example/hooks/', null])
      expect(isOurs(url)).toBe(false);
  });

  it('may lack an id', () => {
    expect(idsIn([{ url: URL }])).toEqual([null]);
  });

  it('are not looked for without end', () => {
    let body: unknown = ours;
    for (let depth = 0; depth < 100_000; depth += 1) body = [body];
    expect(readWebhooks(body)).toEqual([]);
  });
});

describe('What Co-Pilot says to a refusal', () => {
  it('is one short line without our secrets', () => {
    const detail = `The url\nhttps://hub.example/hooks/key-of-ours is  ${'taken '.repeat(100)}`;
    const line = readRefusal({ detail }, ['key-of-ours', 'secret-of-ours']);
    expect(line).toMatch(/^The url https:\/\/hub\.example\/hooks\/\*\*\* is taken taken/);
    expect(line?.length).toBeLessThanOrEqual(200);
  });

  it('may be nothing', () => {
    expect(readRefusal({ code: 1 }, [])).toBeNull();
    expect(readRefusal('<html>', [])).toBeNull();
  });
});
