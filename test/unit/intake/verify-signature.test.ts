import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { verifySignature } from '../../../src/relay/intake/verify-signature';
import { signedNotification, WEBHOOK_SECRET } from '../../support/signed-notification';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const hmac = (body: Uint8Array, secret: string) => createHmac('sha256', secret).update(body).digest('hex');

describe('verifying a signature', () => {
  const { body, signature } = signedNotification('deal-created');
  const verify = (headers: Record<string, string | string[]>, first: string | null = null) =>
    verifySignature(body, WEBHOOK_SECRET, headers, first);

  it('matches what openssl computes', () => {
    expect(verify({ 'x-signature': signature })).toEqual({ header: 'x-signature', value: signature });
  });

  it('finds the valid one among others, in any surrounding text', () => {
    const around = fc.stringMatching(/^[g-zG-Z=, ;.:"_-]{0,12}$/);
    fc.assert(
      fc.property(
        bytes,
        fc.string({ minLength: 1 }),
        around,
        around,
        fc.boolean(),
        (sent, secret, before, after, upper) => {
          const right = upper ? hmac(sent, secret).toUpperCase() : hmac(sent, secret);
          const headers = { 'x-other': `v1=${'0'.repeat(64)}`, 'x-this': before + right + after };
          expect(verifySignature(sent, secret, headers, null)).toEqual({
            header: 'x-this',
            value: before + right + after,
          });
        },
      ),
    );
  });

  it('rejects a different digit or length, other bytes, and another secret', () => {
    fc.assert(
      fc.property(bytes, fc.string({ minLength: 1 }), fc.nat(63), fc.nat(14), (sent, secret, at, add) => {
        const right = hmac(sent, secret);
        const digit = ((Number.parseInt(right[at]!, 16) + 1 + add) % 16).toString(16);
        const flipped = right.slice(0, at) + digit + right.slice(at + 1);
        const expectRejected = (value: string, of: Buffer = sent, by = secret) =>
          expect(typeof verifySignature(of, by, { 'x-this': value }, null)).toBe('string');
        expectRejected(flipped);
        expectRejected(right.slice(0, 63));
        expectRejected(`${right}0`);
        expectRejected(`0${right}`);
        expectRejected(right, Buffer.concat([sent, Buffer.from([0])]));
        expectRejected(right, sent, `${secret}x`);
      }),
    );
  });

  it('distinguishes a missing signature from a wrong one', () => {
    expect(verify({ 'content-type': 'application/json' })).toBe('no_signature');
    expect(verify({ 'x-signature': 'f'.repeat(64) })).toBe('signature_mismatch');
  });

  it('checks sixteen candidates, those of the known header first', () => {
    const decoys = Object.fromEntries(
      Array.from({ length: 16 }, (_, i) => [`x-${i}`, String(i).padStart(64, '0')]),
    );
    expect(verify({ ...decoys, 'x-late': signature })).toBe('signature_mismatch');
    expect(verify({ ...decoys, 'x-late': `v1=${signature}` }, 'x-late')).toMatchObject({ header: 'x-late' });
    expect(verify({ ...decoys, 'x-late': signature }, 'x-late')).toMatchObject({ header: 'x-late' });
    const many = Array.from({ length: 16 }, (_, i) => String(i).padStart(64, '0')).join(',');
    expect(verify({ 'x-signature': `${many},${signature}` })).toBe('signature_mismatch');
  });

  it('finds it in a repeated header', () => {
    expect(verify({ 'set-cookie': ['nothing', signature] })).toMatchObject({ header: 'set-cookie' });
  });
});
