import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { identifyNotification } from '../../../src/relay/intake/identify-notification';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const minute = (at: number | null) => identifyNotification(Buffer.from('{}'), at).minute;

describe('the identity of a notification', () => {
  const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
  const value = fc.oneof(
    fc.json(),
    fc.string().map((text) => JSON.stringify(text)),
  );
  const key = fc
    .string()
    .filter((name) => name !== 'webhook_id')
    .map((name) => JSON.stringify(name));
  const id = fc.stringMatching(/^[\w-]{1,64}$/);
  const member = fc
    .tuple(space, key, space, space, value, space)
    .map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`);
  /** JSON text built by hand, so that the position of the value is known without parsing. */
  const notification = fc
    .tuple(fc.array(member, { maxLength: 4 }), space, space, space, space, fc.array(member, { maxLength: 4 }))
    .map(([before, a, b, c, d, after]) => ({
      head: `{${before.map((one) => `${one},`).join('')}${a}"webhook_id"${b}:${c}"`,
      tail: `"${d}${after.map((one) => `,${one}`).join('')}}`,
    }));

  it('is the SHA-256 of the bytes without the value of the outermost webhook_id', () => {
    fc.assert(
      fc.property(notification, id, ({ head, tail }, webhookId) => {
        const { hash } = identifyNotification(Buffer.from(head + webhookId + tail), 0);
        expect(hash).toBe(sha256(head, tail).toString('hex', 0, 16));
      }),
    );
  });

  it('is the hash of all bytes if there is no such value', () => {
    const without = fc.oneof(
      bytes.filter((body) => !body.includes('"webhook_id"')),
      fc
        .constantFrom(
          '{"data":{"webhook_id":"wh_1"}}',
          '[{"webhook_id":"wh_1"}]',
          '{"webhook_id":1}',
          '{"webhook_id"',
          '{"webhook_id":',
          '{"a":"\\"webhook_id\\":\\"wh_1\\""}',
          '"webhook_id":"wh_1"',
          '{"webhook_id":"wh_1',
          '{"webhook_id":"wh_1\\"}',
          '{"webhook_id":"wh 1"}',
          '{"webhook_id":""}',
          `{"webhook_id":"${'1'.repeat(65)}"}`,
        )
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(without, (body) => {
        expect(identifyNotification(body, 0).hash).toBe(sha256(body).toString('hex', 0, 16));
      }),
    );
  });

  it('begins with the minute of the timestamp', () => {
    expect(minute(Date.UTC(2026, 10, 20, 12, 0, 59, 999))).toBe(minute(Date.UTC(2026, 10, 20, 12)));
    expect(minute(Date.UTC(2026, 10, 20, 12, 1))).toBe(minute(Date.UTC(2026, 10, 20, 12)) + 1);
    expect(minute(null)).toBe(0);
    expect(minute(-1)).toBe(0);
  });
});
