import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders } from '../../../src/relay/deliveries/sending/delivery-headers';
import type { ExtraHeader } from '../../../src/relay/targets/target-record';

const identity = {
  eventId: 'evt_1',
  deliveryId: 'dlv_1',
  traceId: '1'.repeat(32),
  sampled: true,
  spanId: '2'.repeat(16),
  attempt: 1,
  trigger: 'live' as const,
  replayId: null,
  edited: false,
};
const KEY = Buffer.alloc(32, 9);
const PREVIOUS_KEY = Buffer.alloc(32, 7);
const secretOf = (key: Buffer) => `whsec_${key.toString('base64')}`;

interface HeaderOptions {
  type?: string;
  signatureHeader?: string;
  targetHeaders?: ExtraHeader[];
  body?: string;
  previous?: { key: Buffer; until: number } | null;
  at?: number;
}

function headers({
  type = 'deal.created',
  signatureHeader = 'x-signature',
  targetHeaders = [],
  body = '',
  previous = null,
  at = 1_000,
}: HeaderOptions = {}) {
  const event = { seq: 1, type, entity: null, receivedAt: 0, contentType: null, signatureHeader };
  const target = { headers: targetHeaders, signingKey: KEY, previousSigningKey: previous };
  return deliveryHeaders(
    { ...event, signatureValue: 'value', body: Buffer.from(body) },
    identity,
    target,
    at,
  );
}

describe('the headers of a delivery', () => {
  it('encode any event type as visible ASCII characters', () => {
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

  it('never let the signature header of Co-Pilot replace a header of Switchboard', () => {
    const own = Object.keys(headers());
    for (const name of own.filter((one) => one !== 'x-signature')) {
      expect(headers({ signatureHeader: name })).toEqual(headers({ signatureHeader: 'switchboard-x' }));
    }
  });

  it("include the headers of the target, which replace neither those of Switchboard nor Co-Pilot's signature", () => {
    const targetHeaders = ['x-signature', 'authorization', 'webhook-id'].map((name) => ({
      name,
      value: 'added',
      secret: false,
    }));
    expect(headers({ targetHeaders })).toMatchObject({
      'x-signature': 'added',
      authorization: 'added',
      'switchboard-upstream-signature': 'value',
      'webhook-id': 'evt_1',
    });
  });

  it('are verified by the Standard Webhooks library: with both secrets during a secret rotation, then only with the new one', () => {
    const body = '{"a":1}';
    const at = Date.now();
    const verify = (key: Buffer, options: HeaderOptions, text = body) =>
      new Webhook(secretOf(key)).verify(text, headers({ body, at, ...options }));
    expect(verify(KEY, {})).toEqual({ a: 1 });
    expect(() => verify(KEY, {}, '{"a":2}')).toThrow();
    const previous = { key: PREVIOUS_KEY, until: at + 1 };
    expect(verify(KEY, { previous })).toEqual({ a: 1 });
    expect(verify(PREVIOUS_KEY, { previous })).toEqual({ a: 1 });
    expect(() => verify(PREVIOUS_KEY, { previous: { ...previous, until: at } })).toThrow();
  });
});
