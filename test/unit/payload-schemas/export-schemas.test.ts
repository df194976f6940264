import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { exportAsyncApi } from '../../../src/relay/payload-schemas/export-asyncapi';
import { exportJsonSchema } from '../../../src/relay/payload-schemas/export-json-schema';
import { exportTypeScript } from '../../../src/relay/payload-schemas/export-typescript';
import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { newSchema } from '../../../src/relay/payload-schemas/schema-node';
import { compileStrictly } from './compile-strictly';

const PAYLOADS = Array.from({ length: 300 }, (_, i) => ({
  event: i % 2 === 0 ? 'deal.created' : '2nd-event',
  data: {
    id: i,
    'odd key': i % 7 === 0 ? null : 'text',
    price: i % 4 === 0 ? 1.5 : 2,
    tags: i % 3 === 0 ? [] : ['a', { b: 1 }],
    custom: { [String(i)]: true },
    none: [],
    empty: {},
    ...(i % 5 === 0 && { optional: 'in_progress' }),
  },
}));

function learn(payloads: typeof PAYLOADS) {
  const examiners = new Map<string, PayloadExaminer>();
  for (const [seq, payload] of payloads.entries()) {
    if (!examiners.has(payload.event)) examiners.set(payload.event, new PayloadExaminer(newSchema(seq, 0)));
    examiners.get(payload.event)!.examine(payload, seq, 0);
  }
  return new Map([...examiners].map(([type, { schema }]) => [type, schema.root]));
}

it('the exported types compile, and tell events apart', () => {
  const exported = exportTypeScript(learn(PAYLOADS));
  const use = `export const idOf = (event: CopilotEvent): number =>
    event.event === 'deal.created' ? event.data.id : event.event.length + event.data.price;`;
  expect(compileStrictly(exported + use)).toEqual([]);
  expect(
    compileStrictly(`${exported}export const wrong: DealCreated = { event: '2nd-event' } as Event2ndEvent;`),
  ).toHaveLength(1);
  expect(exported).toContain('"odd key": null | string;');
  expect(exported).toContain('custom: Record<string, boolean>;');
  expect(exported).toContain('optional?: string;');
});

it('the exported JSON Schema accepts every payload it was learned from, and no others', () => {
  const ajv = new Ajv2020({ strict: false });
  const validate = ajv.compile(JSON.parse(exportJsonSchema(learn(PAYLOADS))) as object);
  expect(PAYLOADS.filter((payload) => !validate(payload))).toEqual([]);
  const { data } = PAYLOADS[1]!;
  for (const wrong of [
    { ...data, id: 'x' },
    { ...data, price: undefined },
    { ...data, custom: { 1: 2 } },
  ])
    expect(validate(JSON.parse(JSON.stringify({ event: 'deal.created', data: wrong })))).toBe(false);
});

it('the exported AsyncAPI document is valid, with a message for each type', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, meta: false });
  const specification = readFileSync(require.resolve('@asyncapi/specs/schemas/3.0.0.json'), 'utf8');
  const isValid = ajv.compile(JSON.parse(specification) as object);
  const exported = JSON.parse(exportAsyncApi(learn(PAYLOADS))) as { components: { messages: object } };
  expect([isValid(exported), isValid.errors]).toEqual([true, null]);
  expect(exported.components.messages).toMatchObject({
    DealCreated: { name: 'deal.created' },
    Event2ndEvent: { name: '2nd-event' },
  });
  expect(isValid({ ...exported, channels: [] })).toBe(false);
});

it('the same schemas give the same bytes, in whatever order they were learned', () => {
  const [some, more] = [learn(PAYLOADS), learn(PAYLOADS.toReversed())];
  expect(exportTypeScript(more)).toBe(exportTypeScript(some));
  expect(exportJsonSchema(more)).toBe(exportJsonSchema(some));
  expect(exportAsyncApi(more)).toBe(exportAsyncApi(some));
});
