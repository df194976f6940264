import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders } from '../../../src/relay/deliveries/sending/delivery-headers';
import { readRetryAfter } from '../../../src/relay/deliveries/sending/read-retry-after';
import { statusAmong } from '../../../src/relay/targets/status-among';
import type { ExtraHeader } from '../../../src/relay/targets/target-record';

const identity = {
  eventId: 'evt_1',
  deliveryId: 'dlv_1',
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  attempt: 1,
  trigger: 'live' as const,
  replayId: null,
  edited: false,
};
const KEY = Buffer.alloc(32, 9);
const BEFORE = Buffer.alloc(32, 7);
const secretOf = (key: Buffer) => `whsec_${key.toString('base64')}`;

interface Made {
  type?: string;
  signatureHeader?: string;
  headers?: ExtraHeader[];
  body?: string;
  before?: { key: Buffer; until: number } | null;
  at?: number;
}

function headers({
  type = 'deal.created',
  signatureHeader = 'x-signature',
  headers: extra = [],
  body = '',
  before = null,
  at = 1_000,
}: Made = {}) {
  const event = { seq: 1, type, entity: null, receivedAt: 0, contentType: null, signatureHeader };
  const target = { headers: extra, signingKey: KEY, signingKeyBefore: before };
  return deliveryHeaders(
    { ...event, signatureValue: 'value', body: Buffer.from(body) },
    identity,
    target,
    at,
  );
}

describe('the headers of a delivery', () => {
  it('can carry any type that JSON can hold', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
        ),
        (type) => {
          expect(headers({ type })['switchboard-event-type']).toMatch(/^[\x21-\x7e]*$/);
        },
      ),
    );
    expect(headers()['switchboard-event-type']).toBe('deal.created');
  });

  it('never let the upstream\u2019s own header take the place of one of ours', () => {
    const ours = Object.keys(headers());
    for (const name of ours.filter((one) => one !== 'x-signature')) {
      expect(headers({ signatureHeader: name })).toEqual(headers({ signatureHeader: 'switchboard-x' }));
    }
  });

  it('keep what the operator adds apart from the upstream\u2019s signature and from ours', () => {
    const extra = ['x-signature', 'authorization', 'webhook-id'].map((name) => ({
      name,
      value: 'added',
      secret: false,
    }));
    expect(headers({ headers: extra })).toMatchObject({
      'x-signature': 'added',
      authorization: 'added',
      'switchboard-upstream-signature': 'value',
      'webhook-id': 'evt_1',
    });
  });

  it('verify by a library of others, with either secret while a rotation overlaps and one after it', () => {
    const body = '{"a":1}';
    const at = Date.now();
    const verify = (key: Buffer, made: Made, text = body) =>
      new Webhook(secretOf(key)).verify(text, headers({ body, at, ...made }));
    expect(verify(KEY, {})).toEqual({ a: 1 });
    expect(() => verify(KEY, {}, '{"a":2}')).toThrow();
    const before = { key: BEFORE, until: at + 1 };
    expect(verify(KEY, { before })).toEqual({ a: 1 });
    expect(verify(BEFORE, { before })).toEqual({ a: 1 });
    expect(() => verify(BEFORE, { before: { ...before, until: at } })).toThrow();
  });
});

describe('a Retry-After', () => {
  const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['', null],
    ['soon', null],
    ['2', 2_000],
    ['1994-11-06', null],
    ['Sun, nonsense', null],
  ])('of %j asks to wait %s ms', (text, wait) => expect(readRetryAfter(text, NOW)).toBe(wait));
});

describe('a list of statuses', () => {
  it('holds the statuses that it names and those within its hundreds', () => {
    const holds = statusAmong([204, '5xx', 429]);
    const found = [200, 204, 205, 400, 429, 499, 500, 599].filter(holds);
    expect(found).toEqual([204, 429, 500, 599]);
  });
});
