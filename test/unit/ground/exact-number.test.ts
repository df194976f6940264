import * as fc from 'fast-check';
import { compareNumbers, ExactNumber } from '../../../src/relay/ground/exact-number';
import { bodyText, parseExactJson, writeJson } from '../../../src/relay/ground/parse-body';

/** Written with any number of digits, as JSON allows it. */
const literal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,30}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,30}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
  )
  .map((parts) => parts.join(''));
const text = fc.oneof(
  fc.string(),
  literal,
  literal.map((digits) => `a "${digits}" \\`),
);

describe('JSON with exact numbers', () => {
  it('has the digits that were written of every number that JavaScript would round, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, literal, text), { minLength: 1 }), (members) => {
        const pairs = members.map(([, digits, value], i) => [
          `"${i}":[${digits}, {"x": ${digits}}]`,
          `"s${i}":${JSON.stringify(value)}`,
        ]);
        const written = `{${pairs.flat().join(', ')}}`;
        const exact = parseExactJson(written) as Record<string, [unknown, { x: unknown }]>;
        const rounded = JSON.parse(written) as Record<string, [number, unknown]>;
        for (const [i, [, digits, value]] of members.entries()) {
          const [one, { x }] = exact[i]!;
          expect(String(x)).toBe(String(one));
          if (one instanceof ExactNumber) expect(String(one)).toBe(digits);
          else {
            expect(one).toBe(rounded[i]![0]);
            // Exact, unless it is an integer beyond 2^53 or has lost digits.
            expect(compareNumbers(new ExactNumber(digits), one as number)).toBe(0);
          }
          expect(exact[`s${i}`]).toBe(value);
        }
      }),
    );
  });

  it.each([
    ['{"a":9223372036854775807}', '{"a":9223372036854775807}'],
    ['{"a": [-9007199254740993, 1, 0.1]}', '{"a":[-9007199254740993,1,0.1]}'],
    ['{"a":1e400,"b":9007199254740991}', '{"a":1e400,"b":9007199254740991}'],
    ['{"a":0.12345678901234567890}', '{"a":0.12345678901234567890}'],
    ['{"a":9007199254740993,"a":9007199254740995}', '{"a":9007199254740995}'],
    ['{"\\u0069d":9007199254740993}', '{"id":9007199254740993}'],
    [
      '{"a":"9007199254740993 : 9007199254740993","b":-0}',
      '{"a":"9007199254740993 : 9007199254740993","b":0}',
    ],
    ['{"__proto__":9007199254740993}', '{"__proto__":9007199254740993}'],
  ])('%s is written again as %s', (read, written) => expect(writeJson(parseExactJson(read))).toBe(written));

  it.each(['{9007199254740993:1}', '[09007199254740993]', '[9007199254740993', '[+9007199254740993]'])(
    '%s is not JSON',
    (invalid) => expect(() => parseExactJson(invalid)).toThrow(SyntaxError),
  );

  it('is parsed however deep it is nested', () => {
    const deep = `${'['.repeat(30_000)}9007199254740993${']'.repeat(30_000)}`;
    expect(() => parseExactJson(`[ ${deep}, 9007199254740993]`)).not.toThrow();
  });

  it('may begin with a byte order mark', () => {
    expect(bodyText(Buffer.from('\uFEFF{"a":"\uFEFF"}'))).toBe('{"a":"\uFEFF"}');
  });
});

describe('exact numbers', () => {
  it('are compared by value, however they are written', () => {
    const integer = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    fc.assert(
      fc.property(integer, integer, fc.nat(5), (a, b, zeros) => {
        fc.pre(a !== 0n);
        const written = new ExactNumber(`${a}${'0'.repeat(zeros)}e-${zeros}`);
        const expected = a < b ? -1 : a > b ? 1 : 0;
        expect(Math.sign(compareNumbers(written, new ExactNumber(`${b}.0`)))).toBe(expected);
      }),
    );
    expect(compareNumbers(new ExactNumber('1e400'), Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
    expect(compareNumbers(new ExactNumber('-1e400'), 0)).toBeLessThan(0);
    expect(compareNumbers(new ExactNumber('0.10000000000000000000'), 0.1)).toBe(0);
    expect(compareNumbers(new ExactNumber('0.10000000000000000001'), 0.1)).toBeGreaterThan(0);
  });
});
