import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { parseNotification } from '../../../src/relay/intake/parse-notification';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

const whole = {
  event: 'deal.created',
  timestamp: '2026-11-20T12:00:00Z',
  webhook_id: 'wh_1',
  data: { id: 42, name: 'X', updated_at: '2026-11-20T11:59:59.250Z' },
};
const readOf = (data: string) => parseNotification(Buffer.from(`{"event":"deal.created","data":${data}}`));
const readDeep = (levels: number) =>
  readOf(`${'['.repeat(levels)}"${'x'.repeat(70_000)}"${']'.repeat(levels)}`);
const readWide = (values: number) => readOf(`[${'0,'.repeat(values - 1)}0]`);
const read = (value: unknown) => parseNotification(Buffer.from(JSON.stringify(value)));

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
      version: Date.UTC(2026, 10, 20, 11, 59, 59, 250),
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
      version: null,
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

  it('knows no version of a record whose updated_at is no time, or before 1970', () => {
    for (const updated_at of ['soon', 1_700_000_000, null, undefined, '1969-12-31T23:59:59Z'])
      expect(read({ ...whole, data: { id: 42, updated_at } }).version).toBeNull();
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
      version: null,
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
