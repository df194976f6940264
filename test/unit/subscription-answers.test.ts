import { readCreatedId, readRefusal, readWebhooksAt } from '../harness/built';

const URL = 'https://hub.example/hooks/key';
const ours = { webhook_id: 'wh_17', url: URL };
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

describe('Our webhooks in a list', () => {
  it.each([
    ['a list', [other, ours]],
    ['data', { data: [other, ours], meta: { total: 2 } }],
    ['webhooks', { webhooks: [other, ours] }],
    ['_embedded', { _embedded: { webhooks: [other, ours] } }],
    ['an object by id', { wh_17: ours, wh_18: other }],
  ])('are found in %s', (_, body) => {
    expect(readWebhooksAt(body, URL)).toEqual(['wh_17']);
  });

  it('are those at exactly our address', () => {
    const near = [`${URL}/`, `${URL}2`, URL.toUpperCase()].map((url) => ({ webhook_id: 'wh_1', url }));
    expect(readWebhooksAt(near, URL)).toEqual([]);
  });

  it('may lack an id', () => {
    expect(readWebhooksAt([{ url: URL }], URL)).toEqual([null]);
  });

  it('are not looked for without end', () => {
    let body: unknown = ours;
    for (let depth = 0; depth < 100_000; depth += 1) body = [body];
    expect(readWebhooksAt(body, URL)).toEqual([]);
  });
});

describe('What Co-Pilot says to a refusal', () => {
  it('is one short line without our secrets', () => {
    const detail = `The url\n${URL} is  ${'taken '.repeat(100)}`;
    const line = readRefusal({ detail }, ['key', 'secret']);
    expect(line).toMatch(/^The url https:\/\/hub\.example\/hooks\/… is taken taken/);
    expect(line?.length).toBeLessThanOrEqual(200);
  });

  it('may be nothing', () => {
    expect(readRefusal({ code: 1 }, [])).toBeNull();
    expect(readRefusal('<html>', [])).toBeNull();
  });
});
