import { urlContainsKey, readCreatedId, readWebhooks } from '../../../src/relay/subscription/read-webhooks';
import { readMessage } from '../../../src/relay/connection/read-message';

const URL = 'https://hub.example/hooks/key';
const ours = { webhook_id: 'wh_17', url: URL };
const idsIn = (body: unknown) => readWebhooks(body).map(({ webhookId }) => webhookId);
const isOurs = (url: string | null) =>
  urlContainsKey({ webhookId: 'wh_1', url, events: null, active: null }, 'key');
const other = { webhook_id: 'wh_18', url: 'https://elsewhere.example/' };

describe('the id in the response to a create', () => {
  it.each([
    ['the record', ours],
    ['a record in data', { data: ours }],
    ['a record in webhook', { webhook: ours }],
    ['a record with the field id', { id: 'wh_17', url: URL }],
  ])('is found in %s', (_, body) => {
    expect(readCreatedId(body)).toBe('wh_17');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'created'],
    ['a list', [ours]],
    ['a field id with a number', { id: 17 }],
    ['an id that is not a string', { webhook_id: 17 }],
  ])('is null for %s', (_, body) => {
    expect(readCreatedId(body)).toBeNull();
  });
});

describe('the webhooks in a response', () => {
  it.each([
    ['a list', [other, ours]],
    ['data', { data: [other, ours], meta: { total: 2 } }],
    ['webhooks', { url: '/v1/webhooks', webhooks: [other, ours] }],
    ['_embedded', { _embedded: { webhooks: [other, ours] } }],
    ['an object by id', { wh_18: other, wh_17: ours }],
  ])('are found in %s', (_, body) => {
    expect(idsIn(body)).toEqual(['wh_18', 'wh_17']);
  });

  it('are read with their known fields, whatever other fields they have', () => {
    const owner = { id: 7, url: 'https://copilot.example/users/7' };
    const known = { events: ['deal.created'], active: false };
    expect(readWebhooks([{ ...ours, ...known, owner }, other])).toEqual([
      { webhookId: 'wh_17', url: URL, ...known },
      { webhookId: 'wh_18', url: other.url, events: null, active: null },
    ]);
  });

  it('are ours if their URL contains our key', () => {
    for (const url of [URL, `${URL}/`, `${URL}?a=b`]) expect(isOurs(url)).toBe(true);
    for (const url of [`${URL}2`, URL.toUpperCase(), 'https://hub.example/hooks/', null])
      expect(isOurs(url)).toBe(false);
  });

  it('may have no id', () => {
    expect(idsIn([{ url: URL }])).toEqual([null]);
  });

  it('are searched for only to a limited depth', () => {
    let body: unknown = ours;
    for (let depth = 0; depth < 100_000; depth += 1) body = [body];
    expect(readWebhooks(body)).toEqual([]);
  });
});

describe('the message of a rejection by Co-Pilot', () => {
  it('is shortened to one line without our secrets', () => {
    const detail = `The url\nhttps://hub.example/hooks/key-of-ours is  ${'taken '.repeat(100)}`;
    const line = readMessage({ detail }, ['key-of-ours', 'secret-of-ours']);
    expect(line).toMatch(/^The url https:\/\/hub\.example\/hooks\/\*\*\* is taken taken/);
    expect(line?.length).toBeLessThanOrEqual(200);
  });

  it('may be missing', () => {
    expect(readMessage({ code: 1 }, [])).toBeNull();
    expect(readMessage('<html>', [])).toBeNull();
  });
});
