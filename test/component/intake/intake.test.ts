import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type { Journal } from '../../../src/relay/database/journal/journal';
import type { Statement } from '../../../src/relay/database/journal/statements';
import { identifyNotification } from '../../../src/relay/intake/identify-notification';
import { parseNotification } from '../../../src/relay/intake/parse-notification';
import { QuarantineStore } from '../../../src/relay/intake/quarantine.store';
import { verifySignature } from '../../../src/relay/intake/verify-signature';
import { systemRandom } from '../../../src/relay/ground/random';
import { clockAt } from '../../support/clock';
import { signedNotification, WEBHOOK_SECRET } from '../../support/signed-notification';
import { ONLY_DAEMON } from '../../support/only-daemon';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const hmac = (body: Uint8Array, secret: string) => createHmac('sha256', secret).update(body).digest('hex');
const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

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

const whole = {
  event: 'deal.created',
  timestamp: '2026-11-20T12:00:00Z',
  webhook_id: 'wh_1',
  data: { id: 42, name: 'X' },
};
const readOf = (data: string) => parseNotification(Buffer.from(`{"event":"deal.created","data":${data}}`));
const readDeep = (levels: number) =>
  readOf(`${'['.repeat(levels)}"${'x'.repeat(70_000)}"${']'.repeat(levels)}`);
const readWide = (values: number) => readOf(`[${'0,'.repeat(values - 1)}0]`);
const read = (value: unknown) => parseNotification(Buffer.from(JSON.stringify(value)));
const minute = (at: number | null) => identifyNotification(Buffer.from('{}'), at).minute;

describe('parsing a notification', () => {
  it('never fails, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          fc.json().map((text) => Buffer.from(text)),
        ),
        (body) => {
          const parsed = parseNotification(body);
          expect(parsed.type).not.toBe('');
          expect(parsed.unreadable === null && parsed.type === 'unreadable').toBe(false);
        },
      ),
    );
  });

  it('reads the fields of the document', () => {
    expect(read(whole)).toEqual({
      type: 'deal.created',
      occurredAt: Date.UTC(2026, 10, 20, 12),
      webhookId: 'wh_1',
      entity: 'deal:42',
      name: 'X',
      unreadable: null,
      content: whole,
    });
  });

  it('flags fields that are missing or of the wrong type', () => {
    const wrong = fc.oneof(
      fc.constant(undefined),
      fc.constant(null),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string()),
    );
    fc.assert(
      fc.property(fc.constantFrom('event', 'timestamp', 'webhook_id', 'data'), wrong, (field, value) => {
        expect(read({ ...whole, [field]: value }).unreadable).toBe(`The field ${field} is missing.`);
      }),
    );
    expect(read({ ...whole, data: 'text' }).unreadable).not.toBeNull();
  });

  it('keeps the readable fields if one is missing', () => {
    const wholly = { ...read(whole), content: expect.anything() };
    const without = (field: string) => read({ ...whole, [field]: undefined });
    expect(without('timestamp')).toEqual({
      ...wholly,
      occurredAt: null,
      unreadable: 'The field timestamp is missing.',
    });
    expect(without('webhook_id')).toEqual({
      ...wholly,
      webhookId: null,
      unreadable: 'The field webhook_id is missing.',
    });
    expect(without('data')).toEqual({
      ...wholly,
      entity: null,
      name: null,
      unreadable: 'The field data is missing.',
    });
    expect(without('event')).toMatchObject({ type: 'unreadable', content: undefined });
  });

  it.each([
    ['"a-b"', 'a-b'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['"9223372036854775807"', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854775807.0', '9223372036854775807'],
    ['9.223372036854775807e18', '9223372036854775807'],
    ['1000000000000000000000', '1000000000000000000000'],
    ['1e3', '1000'],
    ['1e30', `1${'0'.repeat(30)}`],
    ['1.0', '1'],
    ['-0', '0'],
    ['9'.repeat(100), '9'.repeat(100)],
    ['1,"id":9223372036854775807', '9223372036854775807'],
    ['9223372036854775807,"id":2', '2'],
    ['1,"\\u0069d":9223372036854775807', '9223372036854775807'],
    ['7,"inner":{"id":9223372036854775807}', '7'],
  ])('sets the entity to all digits of an id: %s', (id, expected) => {
    expect(readOf(`{"id":${id}}`).entity).toBe(`deal:${expected}`);
    expect(readOf(`{ "id" : ${id}\n}`).entity).toBe(`deal:${expected}`);
  });

  it.each([
    '1.5',
    '9223372036854775807.5',
    '1e400',
    '9'.repeat(101),
    '""',
    `"${'x'.repeat(101)}"`,
    '{}',
    'true',
    '[1]',
  ])('tells that an id makes no entity: %s', (id) => {
    const body = JSON.stringify(whole).replace('"id":42', `"id":${id}`);
    expect(parseNotification(Buffer.from(body))).toMatchObject({
      type: 'deal.created',
      entity: null,
      unreadable: expect.stringMatching(/^The field data\.id is neither .* no entity/),
    });
  });

  it('needs no id', () => {
    for (const data of [{}, { id: null }])
      expect(read({ ...whole, data })).toMatchObject({ entity: null, unreadable: null });
    expect(parseNotification(Buffer.from('9223372036854775807')).unreadable).toMatch(/object/);
    expect(readOf('9223372036854775807')).toMatchObject({ entity: null, type: 'deal.created' });
  });

  it('ignores an unreadable time, and truncates long names', () => {
    expect(read({ ...whole, timestamp: 'yesterday' })).toMatchObject({ occurredAt: null, unreadable: null });
    expect(read({ ...whole, data: { title: 'y'.repeat(300) } }).name).toHaveLength(200);
  });

  it('limits the length of everything that is listed', () => {
    const type = 'y'.repeat(200);
    expect(read({ ...whole, event: type })).toMatchObject({ type, unreadable: null });
    expect(read({ ...whole, event: `${type}y` })).toEqual({
      type: 'unreadable',
      occurredAt: null,
      webhookId: null,
      entity: null,
      name: null,
      unreadable: 'The field event has more than 200 characters.',
      content: undefined,
    });
  });

  it('does not parse bodies that are expensive to parse', () => {
    expect(readDeep(99).type).toBe('deal.created');
    expect(readDeep(100)).toMatchObject({
      type: 'unreadable',
      unreadable: expect.stringMatching(/100 levels/),
    });
    expect(readWide(99_000).type).toBe('deal.created');
    expect(readWide(101_000)).toMatchObject({
      type: 'unreadable',
      unreadable: expect.stringMatching(/100000 values/),
    });
  });

  it.each([
    [Buffer.from('\uFEFF{}', 'utf16le'), '', 'UTF-16LE'],
    [Buffer.from('{}', 'utf16le'), '', 'UTF-16LE'],
    [Buffer.from('\uFEFF{}', 'utf16le').swap16(), '', 'UTF-16BE'],
    [Buffer.from('{}', 'utf16le').swap16(), '', 'UTF-16BE'],
    [Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), '', 'UTF-32LE'],
    [Buffer.from([0, 0, 0, 0x7b, 0, 0, 0, 0x7d]), '', 'UTF-32BE'],
    [
      Buffer.from('{"name":"\u00e9"}', 'latin1'),
      'content-type: application/json; charset="ISO-8859-1"',
      'ISO-8859-1',
    ],
    [Buffer.from('{"name":"\u00e9"}', 'latin1'), 'content-type: application/json; charset=utf-8', null],
    [gzipSync('{}'), '', 'gzip'],
    [Buffer.from('+'), 'content-encoding: br', 'br'],
    [Buffer.from('+'), 'content-encoding: identity', null],
    [Buffer.from('no'), '', null],
    [Buffer.alloc(0), '', null],
  ])('names the coding of a body that it does not read: %s, %s: %s', (body, header, coding) => {
    const { unreadable, type } = parseNotification(body, [header.split(': ') as [string, string]]);
    expect(type).toBe('unreadable');
    expect(/its coding is ([\w-]+)/.exec(unreadable!)?.[1] ?? null).toBe(coding);
  });

  it('reads UTF-8, whatever the headers say', () => {
    const latin = [['content-type', 'application/json; charset=iso-8859-1']] as const;
    expect(
      parseNotification(Buffer.from(JSON.stringify({ ...whole, data: { name: '\u00e9' } })), latin).name,
    ).toBe('\u00e9');
  });

  it('accepts only strict UTF-8, with or without a byte order mark', () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(whole))]);
    expect(parseNotification(marked)).toEqual(read(whole));
    expect(parseNotification(Buffer.from('\uFEFF\uFEFF{}')).unreadable).toMatch(/JSON/);
    expect(parseNotification(Buffer.from([0x22, 0xc0, 0xaf, 0x22])).unreadable).toMatch(/UTF-8/);
  });
});

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

describe('the quarantine', () => {
  const HOUR_MS = 3_600_000;
  let now: number;
  let stored: number[];
  let counted: number;
  let quarantine: QuarantineStore;

  beforeEach(() => {
    let number = 0;
    now = 0;
    stored = [];
    counted = 0;
    const journal = {
      change: async ({ statements }: { statements: Statement[] }) => {
        const rows = statements.map(([sql, [first]]) => {
          if (sql.startsWith('INSERT')) {
            stored.push((number += 1));
            return [{ number }];
          }
          const gone: number[] = sql.startsWith('DELETE') ? JSON.parse(String(first)) : [];
          stored = stored.filter((one) => !gone.includes(one));
          if (sql.startsWith('UPDATE')) counted += Number(first);
          return [];
        });
        return { rows, scheduled: [] };
      },
    };
    quarantine = new QuarantineStore(
      { query: async () => [] } as unknown as DataSource,
      journal as unknown as Journal,
      clockAt(() => now),
      systemRandom,
      ONLY_DAEMON.leadership,
      pino({ level: 'silent' }),
    );
  });

  const add = async (count: number, size: number) => {
    const rejected = {
      address: '192.0.2.1',
      reason: 'no_signature',
      subscriptionId: 1,
      headers: [],
    } as const;
    for (let i = 0; i < count; i += 1) {
      quarantine.add({ ...rejected, headers: [], body: Buffer.alloc(size) });
      if (i % 3 === 2) await quarantine.write();
    }
    await quarantine.write();
  };

  it('holds a thousand, the first of each hour, and counts the others', async () => {
    await add(5, 1);
    now += HOUR_MS;
    await add(5_000, 1);
    expect(stored).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
    expect(counted).toBe(4_005);

    now += HOUR_MS;
    await add(900, 1);
    expect(stored).toHaveLength(1_000);
    expect(stored.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
    // The two hours of a flood share what the quiet one leaves.
    const ofFirstFlood = stored.filter((number) => number > 5 && number <= 1_000);
    expect(ofFirstFlood.length).toBeGreaterThan(490);
    expect(ofFirstFlood.length).toBeLessThan(505);
  });

  it('holds 32 MiB, and drops the newest of the largest', async () => {
    const MIB = 1_024 * 1_024;
    await add(5, 1);
    await add(40, MIB);
    await add(5, 1);
    expect(stored.length).toBeGreaterThan(35);
    expect(stored.length).toBeLessThanOrEqual(42);
    expect(counted).toBe(50 - stored.length);
    expect(stored.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
  });

  it('holds a single entry that is larger', async () => {
    await add(1, 33 * 1_024 * 1_024);
    expect(stored).toEqual([1]);
  });
});
