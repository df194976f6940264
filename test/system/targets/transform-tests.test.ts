import { type AuditEntry } from '../../../src/contract/audit';
import type { Page } from '../../../src/contract/page';
import { target as targetSchema } from '../../../src/contract/target';
import { transformPreview, transformTestResults } from '../../../src/contract/transform';
import { patch, receiver, rejected, switchboard, useHub } from './hub';

useHub();

const WON = { name: 'won', input: { data: { id: 1, price: 2 } }, expected: { deal: 1, sum: 3 } };
const LOST = { name: 'lost', input: { data: { id: 2 } }, expected: { deal: 2 } };
const RIGHT = '{"deal": data.id, "sum": data.price + 1}';
const WRONG = '{"deal": data.id, "sum": data.price, "more": 1}';

const transform = (expression: string, tests?: object[]) => ({ transform: { expression, tests } });
const add = (name: string, settings: object) =>
  switchboard.addTarget(name, receiver.url, [`never.${name}`], settings);
const run = (id: string, json: object = {}) =>
  switchboard.read(transformTestResults, `/targets/${id}/transform/test`, { method: 'POST', json });
const shown = (id: string) => switchboard.read(targetSchema, `/targets/${id}`);

it('an expression is saved only if its tests pass, or if that is forced', async () => {
  expect(await rejected(transform(WRONG, [WON, LOST]))).toEqual({
    status: 422,
    code: 'transform_tests_failed',
    paths: ['transform.tests.0', 'transform.tests.1'],
  });
  const { id } = await add('forced', { ...transform(WRONG, [WON]), force: true });
  expect((await shown(id)).transform).toMatchObject({ expression: WRONG, tests: [WON] });
  // What else a target has is saved without a look at its tests.
  await patch(id, { policy: { concurrency: 2 } });
  await patch(id, transform(RIGHT));
  expect((await shown(id)).transform!.tests).toEqual([WON]);
  const answer = await switchboard.ask(`/targets/${id}`, { method: 'PATCH', json: transform(WRONG) });
  expect(answer).toMatchObject({
    status: 422,
    json: { errors: [{ message: '"won" not as expected: sum, more' }] },
  });
  expect((await shown(id)).transform!.expression).toBe(RIGHT);
  await patch(id, { ...transform(WRONG), force: true });
  const { json } = await switchboard.ask('/audit?action=target.change&limit=1');
  expect((json as Page<AuditEntry>).data[0]!.fields).toEqual(['transform', 'force']);
  await patch(id, transform(WRONG, []));
  expect((await shown(id)).transform!.tests).toEqual([]);
});

it.each([
  ['an unknown field', { ...WON, output: 1 }, 'invalid_request'],
  ['no expectation', { name: 'a', input: {} }, 'invalid_request'],
  ['a number that would be rounded', { ...WON, input: [0] }, 'target_invalid'],
])('a test with %s is refused', async (_, test, code) => {
  const settings = JSON.stringify({ name: 'odd', url: receiver.url, ...transform('1', [test]) });
  const body = settings.replace('[0]', '[9007199254740993]');
  const headers: [string, string][] = [['content-type', 'application/json']];
  const { json } = await switchboard.ask('/targets', { method: 'POST', headers, body });
  expect(json).toMatchObject({ code });
});

it('a test of an event that cannot be is run with no time', async () => {
  const { id } = await add('timeless', transform('$event.received_at'));
  for (const character of ['z', 'u']) {
    const test = { name: 'a', input: {}, expected: null, from_event_id: `evt_${character.repeat(26)}` };
    expect((await run(id, { tests: [test] })).data[0]).toMatchObject({ ok: false });
  }
});

it('tests are run with what is saved, or with other expressions and tests', async () => {
  const { id } = await add('tested', transform(RIGHT, [WON]));
  expect(await run(id)).toEqual({ failed: 0, data: [{ name: 'won', ok: true, output: WON.expected }] });
  expect(await run(id, { expression: WRONG, tests: [WON, LOST] })).toEqual({
    failed: 2,
    data: [
      {
        name: 'won',
        ok: false,
        output: { deal: 1, sum: 2, more: 1 },
        differences: [
          { path: 'sum', expected: 3, output: 2 },
          { path: 'more', output: 1 },
        ],
      },
      {
        name: 'lost',
        ok: false,
        output: { deal: 2, more: 1 },
        differences: [{ path: 'more', output: 1 }],
      },
    ],
  });
  expect((await run(id, { expression: 'data.price + {}' })).data).toMatchObject([
    { ok: false, error: { code: 'T2002' } },
  ]);
  const endless = '$match($pad("", 60, "a") & "b", /^(a+)+$/)';
  expect((await run(id, { expression: endless, tests: [WON, LOST] })).data).toMatchObject([
    { name: 'won', ok: false, error: { code: 'too_slow' } },
  ]);
  const plain = await add('plain', {});
  const json = { tests: [] };
  const refused = await switchboard.ask(`/targets/${plain.id}/transform/test`, { method: 'POST', json });
  expect(refused).toMatchObject({ status: 409, json: { code: 'transform_missing' } });
  expect(refused.json).toMatchObject({ detail: 'The target "plain" has no expression.' });
});

it('a test made of an event is evaluated as the event is', async () => {
  const event = await switchboard.emit('deal.sold', { id: 7 });
  const expression = '[$event.id, $event.seq, $event.type, $event.entity, $event.received_at, $now()]';
  const json = { expression, event_id: event };
  const { data } = await switchboard.read(transformPreview, '/targets/preview/transform', {
    method: 'POST',
    json,
  });
  const { json: input } = await switchboard.ask(`/events/${event}/body`);
  const test = { name: 'sold', input, expected: data[0]!.output, from_event_id: event };
  const { id } = await add('made', transform(expression, [test]));
  expect((await run(id)).failed).toBe(0);
});

const apply = (expression: string, tests?: object[], more: object = {}) =>
  switchboard.ask('/manifests/tests/apply', {
    method: 'POST',
    json: { targets: [{ name: 'described', url: receiver.url, ...transform(expression, tests) }], ...more },
  });
const exported = async () => (await switchboard.ask('/manifests/export?manifest=tests')).json;

it('a manifest has the tests of its expressions, which are run before anything is changed', async () => {
  expect(await apply(WRONG, [WON], { dry_run: true })).toMatchObject({
    status: 422,
    json: { code: 'transform_tests_failed', errors: [{ path: 'targets.0.transform.tests.0' }] },
  });
  expect((await apply(WRONG, [WON], { force: true })).status).toBe(200);
  expect((await apply(RIGHT, [WON])).json).toMatchObject({ changes: [{ fields: [{ path: 'transform' }] }] });
  expect((await apply(RIGHT, [WON, { ...WON, name: 'again' }])).json).toMatchObject({
    changes: [{ fields: [{ path: 'transform.tests', before: ['won'], after: ['won', 'again'] }] }],
  });
  expect(await exported()).toMatchObject({ targets: [{ transform: { tests: [WON, { name: 'again' }] } }] });
  await apply(RIGHT);
  expect(JSON.stringify(await exported())).not.toContain('tests');
});
