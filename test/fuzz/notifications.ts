import * as fc from 'fast-check';
import {
  awkwardNumber,
  awkwardText,
  awkwardValue,
  expensiveJsonText,
  longExpensiveJsonText,
} from './json-texts';

const type = fc.oneof(
  fc.constantFrom(
    'deal.created',
    'contact.updated',
    'relay.disk.low',
    '.',
    'deal',
    'deal.',
    '*',
    'DEAL.CREATED',
  ),
  awkwardText,
  awkwardValue,
);
const timestamp = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-01-01', '+275760-09-13T00:00:00.001Z', '-271821-04-19T23:59:59Z', '0', 'tomorrow'),
  awkwardNumber,
  awkwardText,
);
const data = fc.oneof(
  fc.dictionary(
    fc.oneof(fc.constantFrom('id', 'name', 'title', 'status_id', '__proto__'), awkwardText),
    awkwardValue,
    {
      maxKeys: 6,
    },
  ),
  awkwardValue,
);
const fields = fc.record(
  {
    event: type,
    timestamp,
    webhook_id: fc.oneof(fc.constantFrom('wh_1', '.', '..', '\ud800'), awkwardValue),
    data,
  },
  { requiredKeys: [] },
);
const wellFormed = fc
  .oneof({ arbitrary: fields, weight: 12 }, { arbitrary: awkwardValue, weight: 1 })
  .map((value) => JSON.stringify(value));

/** With a part removed, repeated or replaced. */
const damaged = fc
  .tuple(
    wellFormed,
    fc.nat(),
    fc.nat(),
    fc.oneof(awkwardText, fc.constantFrom(',', '}', ']', '"', '\\u', '{"event":')),
  )
  .map(([text, one, other, put]) => {
    const [from, to] = [one % (text.length + 1), other % (text.length + 1)];
    return text.slice(0, from) + put + text.slice(to);
  });
const expensive = fc
  .tuple(
    fc.oneof({ arbitrary: expensiveJsonText, weight: 9 }, { arbitrary: longExpensiveJsonText, weight: 1 }),
    fc.constantFrom('data', 'event', 'timestamp', 'webhook_id', 'more'),
  )
  .map(([text, field]) => `{"event":"deal.updated","${field}":${text}}`);

/** Bodies of notifications, valid and invalid. */
export const notificationBody: fc.Arbitrary<Buffer> = fc.oneof(
  { arbitrary: wellFormed.map((text) => Buffer.from(text)), weight: 5 },
  { arbitrary: damaged.map((text) => Buffer.from(text)), weight: 3 },
  { arbitrary: expensive.map((text) => Buffer.from(text)), weight: 1 },
  { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
  {
    arbitrary: wellFormed.map((text) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])),
    weight: 1,
  },
  { arbitrary: wellFormed.map((text) => Buffer.from(text, 'utf16le')), weight: 1 },
);
