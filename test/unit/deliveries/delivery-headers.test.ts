import { createPublicKey, verify as isSigned } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders } from '../../../src/relay/deliveries/sending/delivery-headers';
import { publicKeyText } from '../../../src/relay/targets/ed25519';
import type { ExtraHeader, TargetRecord } from '../../../src/relay/targets/target-record';

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
  repairId: null,
  gaps: [],
  transform: null,
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
  signature?: TargetRecord['signature'];
  ed25519?: boolean;
}

function headers({
  type = 'deal.created',
  signatureHeader = 'x-signature',
  targetHeaders = [],
  body = '',
  previous = null,
  at = 1_000,
  signature = null,
  ed25519 = false,
}: HeaderOptions = {}) {
  const event = { seq: 1, type, entity: null, receivedAt: 0, contentType: null, signatureHeader };
  const keys = { signingKey: KEY, previousSigningKey: previous };
  const target = { headers: targetHeaders, signature, ed25519, ...keys };
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

/** Made with `printf '{"a":1}' | openssl dgst -sha256 -hmac whsec_…`, that with the time with `1.` before the body. */
const VECTORS = {
  current: '1e1b5e5d77702c689d87848ffec2c2c35d7ebbcd8ac737613d813174d2eb67fe',
  base64: 'HhteXXdwLGidh4SP/sLCw11+u82KxzdhPYExdNLrZ/4=',
  timed: '337913ab0ddd57e7ceff51d86e6b5ef0a527dd206218fcabc6eb71a1d5f72c4b',
  previousTimed: 'eef1a1699860aef80d49b9b36b6100be9bf4029017743653a1fcc923a6c24339',
};

describe('the further signature of a delivery', () => {
  it.each([
    ['sha256={hex}', `sha256=${VECTORS.current}`],
    ['{hex}', VECTORS.current],
    ['{base64}', VECTORS.base64],
    ['t={time},v1={hex}', `t=1,v1=${VECTORS.timed},v1=${VECTORS.previousTimed}`],
  ] as const)('is in the form of its receiver, as openssl makes it: %s', (form, expected) => {
    const signature = { header: 'x-signature', form };
    const previous = { key: PREVIOUS_KEY, until: 2_000 };
    expect(headers({ body: '{"a":1}', signature, previous })).toMatchObject({
      'x-signature': expected,
      'switchboard-upstream-signature': 'value',
    });
  });

  it('by Ed25519 is verified with the public key, beside those that a library for Standard Webhooks verifies', () => {
    const body = '{"a":1}';
    const previous = { key: PREVIOUS_KEY, until: Infinity };
    const at = Date.now();
    const sent = headers({ body, ed25519: true, previous, at });
    const signatures = sent['webhook-signature']!.split(' ').filter((one) => one.startsWith('v1a,'));
    const message = Buffer.from(`${sent['webhook-id']}.${sent['webhook-timestamp']}.${body}`);
    const verified = (text: string) => {
      expect(text).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
      const x = Buffer.from(text.slice('whpk_'.length), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return signatures.map((one) => isSigned(null, message, key, Buffer.from(one.slice(4), 'base64')));
    };
    expect(verified(publicKeyText(KEY))).toEqual([true, false]);
    expect(verified(publicKeyText(PREVIOUS_KEY))).toEqual([false, true]);
    for (const key of [KEY, PREVIOUS_KEY])
      expect(new Webhook(secretOf(key)).verify(body, sent)).toEqual({ a: 1 });
  });
});
