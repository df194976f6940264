import { evaluate } from '../../../src/relay/transforms/evaluate';

const EVENT = {
  id: 'evt_1',
  seq: 7,
  type: 'deal.updated',
  entity: 'deal:42',
  received_at: '2026-11-20T12:00:00.000Z',
};
const BLOCKED_MS = 300;
const DEAL = '{"event":"deal.updated","data":{"id":42,"name":"Fjord","price":10.5,"tags":["a","b"]}}';

/** The result of an expression as it is sent; its failure without the message. */
async function resultOf(expression: string, payload = DEAL, contentType = 'application/json') {
  const outcome = await evaluate({ expression, contentType, payload, event: EVENT, target: { name: 'CRM' } });
  if ('body' in outcome) return outcome.body;
  const { code, position } = outcome.failure;
  return { code, position };
}

it.each([
  ['{"deal": data.id, "title": $uppercase(data.name)}', '{"deal":42,"title":"FJORD"}'],
  ['$event.entity & " of " & $target.name', '"deal:42 of CRM"'],
  ['$now() & " " & $millis() & " " & $now("[Y]")', '"2026-11-20T12:00:00.000Z 1795176000000 2026"'],
  ['$eval("data.tags")', '["a","b"]'],
])('%s makes %s', async (expression, body) => {
  expect(await resultOf(expression)).toBe(body);
});

it.each([
  ['{"data":{"id":41}}', '[41,true]'],
  ['null', '[true]'],
  [undefined, '[false]'],
  ['{"data":{"id":9007199254740993}}', 'number_too_large: $previous.data.id'],
])('with %s, $previous and whether it exists are %s', async (previous, expected) => {
  const outcome = await evaluate({
    expression: '[$previous.data.id, $exists($previous)]',
    contentType: 'application/json',
    payload: DEAL,
    previous,
    event: EVENT,
    target: { name: '' },
  });
  const told =
    'body' in outcome ? outcome.body : `${outcome.failure.code}: ${outcome.failure.message.split(' ')[0]}`;
  expect(told).toBe(expected);
});

it('time in which the process does not run is not part of what an evaluation took', async () => {
  const request = { expression: 'data.id', contentType: 'application/json', payload: DEAL, event: EVENT };
  const outcome = evaluate({ ...request, target: { name: '' } });
  const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  Atomics.wait(shared, 0, 0, BLOCKED_MS);
  const { tookMs } = (await outcome) as { tookMs: number };
  expect(tookMs).toBeLessThan(BLOCKED_MS);
});

it('a text is sent as it is if the content type is not JSON', async () => {
  expect(await resultOf('data.name', DEAL, 'text/plain')).toBe('Fjord');
  expect(await resultOf('data.id', DEAL, 'text/plain')).toBe('42');
  expect(await resultOf('data.name', DEAL, 'application/ld+json; charset=utf-8')).toBe('"Fjord"');
});

it.each([
  ['{"a": ', { code: 'S0203', position: 6 }],
  ['data.(', { code: 'S0203', position: 6 }],
  ['data.name + 1', { code: 'T2001', position: 11 }],
  ['data.missing', { code: 'no_result', position: null }],
  ['{"f": function($x){$x}}', { code: 'result_not_json', position: null }],
  ['1 / 0', { code: 'result_not_json', position: null }],
  ['{"__proto__": {"a": 1}}', { code: 'result_not_json', position: null }],
  ['$previous.data.id', { code: 'no_result', position: null }],
  ['$random()', { code: 'T1006', position: 8 }],
  ['$eval("$shuffle([1])")', { code: 'D3121', position: 6 }],
  ['data.constructor', { code: 'no_result', position: null }],
  ['($f := function($x){ 1 + $f($x) }; $f(1))', { code: 'D1011', position: 28 }],
  ['($f := function($x){ $f($x) }; $f(1))', { code: 'D1012', position: expect.any(Number) as number }],
  ['$sum([1..9999999])', { code: 'D2015', position: 9 }],
  ['$pad("", 2000000, "a")', { code: 'result_too_large', position: null }],
  ['$reduce([1..25], function($s, $i){ $s & $s }, "aaaa")', { code: 'result_too_large', position: null }],
])('%s fails as %j', async (expression, failure) => {
  expect(await resultOf(expression)).toEqual(failure);
});

it('a payload that is not JSON, or whose numbers would be rounded, is not evaluated', async () => {
  expect(await resultOf('1', 'no JSON')).toMatchObject({ code: 'payload_not_json' });
  const outcome = await evaluate({
    expression: '1',
    contentType: 'application/json',
    payload: '{"data":{"list":[{"id":9007199254740993}],"price":0.1000000000000000055}}',
    event: EVENT,
    target: { name: 'CRM' },
  });
  expect(outcome).toMatchObject({
    failure: { code: 'number_too_large', message: expect.stringContaining('data.list.0.id') },
  });
  expect(await resultOf('price', '{"price":0.1000000000000000055}')).toBe('0.1');
});

it('members named __proto__ are not part of a payload', async () => {
  expect(await resultOf('$', '{"a":1,"__proto__":{"b":2},"c":{"\\u005f_proto__":3}}')).toBe('{"a":1,"c":{}}');
});
