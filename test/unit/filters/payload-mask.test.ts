import { maskFilter } from '../../../src/relay/filters/masked-filter';
import { MASKED, parseMaskedPath, PayloadMask } from '../../../src/relay/filters/payload-mask';
import { parseExactJson, writeJson } from '../../../src/relay/ground/parse-body';

const maskOf = (...texts: string[]) =>
  new PayloadMask(
    texts.map((text) => {
      const path = parseMaskedPath(text);
      if (typeof path === 'string') throw new Error(path);
      return path;
    }),
  );

const masked = (text: string, payload: string, type = 'contact.created') =>
  writeJson(maskOf(text).apply(type, parseExactJson(payload)));

it('replaces the values at a path as a filter finds them, whatever they contain', () => {
  for (const [path, payload, shown] of [
    [
      'data.email',
      '{"data":{"email":"a@b","id":9223372036854775807}}',
      '{"data":{"email":"***","id":9223372036854775807}}',
    ],
    ['data.email', '{"data":{"email":null}}', '{"data":{"email":"***"}}'],
    ['data.email', '{"data":{"mail":1}}', '{"data":{"mail":1}}'],
    ['data.owner', '{"data":{"owner":{"email":"a@b"}}}', '{"data":{"owner":"***"}}'],
    [
      'data.people.email',
      '{"data":{"people":[{"email":1},[{"email":2}],3]}}',
      '{"data":{"people":[{"email":"***"},[{"email":"***"}],3]}}',
    ],
    ['data.tags.1', '{"data":{"tags":[1,2,3]}}', '{"data":{"tags":[1,"***",3]}}'],
    ['data.a\\.b', '{"data":{"a.b":1,"a":{"b":2}}}', '{"data":{"a.b":"***","a":{"b":2}}}'],
    ['data.__proto__', '{"data":{"__proto__":1}}', '{"data":{"__proto__":"***"}}'],
    ['data', '{"data":{"id":1}}', '{"data":"***"}'],
  ] as const)
    expect([path, masked(path, payload)]).toEqual([path, shown]);
});

it('applies to the types of its pattern, and without one to all but system events', () => {
  const payload = '{"data":{"name":"x"}}';
  const shown = '{"data":{"name":"***"}}';
  for (const [text, type, expected] of [
    ['contact.*:data.name', 'contact.created', shown],
    ['contact.*:data.name', 'deal.created', payload],
    ['data.name', 'deal.created', shown],
    ['data.name', 'relay.target.failing', payload],
    ['relay.*:data.name', 'relay.target.failing', shown],
  ] as const)
    expect([text, type, masked(text, payload, type)]).toEqual([text, type, expected]);
});

it('an array of very many values, or nested very deep, is masked too', () => {
  const deep = `${'['.repeat(20_000)}{"email":"a@b"}${']'.repeat(20_000)}`;
  const payload = { data: JSON.parse(deep) as unknown };
  maskOf('data.email').apply('contact.created', payload);
  let found = payload.data;
  while (Array.isArray(found)) [found] = found as unknown[];
  expect(found).toEqual({ email: MASKED });
  const many = { data: Array.from({ length: 300_000 }, () => ({ email: 1 })) };
  maskOf('data.email').apply('contact.created', many);
  expect(many.data.at(-1)).toEqual({ email: MASKED });
});

it('covers what contains a masked value or is part of one, with or without the index of an element', () => {
  const covers = (text: string, path: string) => maskOf(text).covers(path);
  for (const path of [
    'data.people.email',
    'data.people.0.email',
    'data.people',
    'data',
    'data.people.email.domain',
  ])
    expect([path, covers('data.people.email', path)]).toEqual([path, true]);
  for (const path of ['data.people.name', 'data.email', 'data.people.0.name', 'event'])
    expect([path, covers('data.people.email', path)]).toEqual([path, false]);
  expect(covers('data.tags.1', 'data.tags')).toBe(true);
  expect(maskOf('contact.*:data.name').covers('data.name', 'deal.created')).toBe(false);
  expect(maskOf('contact.*:data.name').covers('data.name')).toBe(true);
});

it('a body that is not readable is masked as a whole, and one without masked values stays as it is', () => {
  const mask = maskOf('contact.*:data.email');
  const body = Buffer.from('{ "data": {"email": 1} }');
  expect(mask.bodyOf('unreadable', body)).toBeNull();
  expect(mask.bodyOf('deal.created', body)).toBe(body);
  expect(String(mask.bodyOf('contact.created', body))).toBe('{"data":{"email":"***"}}');
});

it('a filter is shown without what it compares masked values with', () => {
  const filter = {
    $or: [{ 'data.email': 'a@b' }, { $not: { 'data.people.0.email': { $in: ['c'] } } }],
    'data.id': 1,
  };
  expect(maskFilter(filter, maskOf('data.email', 'data.people.email'))).toEqual({
    $or: [{ 'data.email': MASKED }, { $not: { 'data.people.0.email': MASKED } }],
    'data.id': 1,
  });
});

it('a faulty path is described', () => {
  for (const [text, fault] of [
    ['email', /begins with data/],
    ['data..email', /single dots/],
    ['data.$in', /operator/],
    ['con tact:data.email', /before a colon/],
    [':data.email', /before a colon/],
    [`data.${'x'.repeat(200)}`, /at most 200/],
  ] as const)
    expect(parseMaskedPath(text)).toMatch(fault);
});
