import * as fc from 'fast-check';

/** Names with a special meaning in JavaScript, in JSON or in filters. */
export const AWKWARD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  '',
  '0',
  '$and',
  '\u0000',
];

/** Texts that some program interprets or cannot handle. */
export const awkwardText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(...AWKWARD_NAMES),
  fc.constantFrom(
    '\ud800',
    '\udfff\ud800',
    '\u0000',
    "' OR 1=1 --",
    '%',
    '%00',
    '..',
    '*',
    '"',
    '\\',
    '\r\n',
    '\u202e',
  ),
  fc.constantFrom(
    'NaN',
    '-0',
    '1e400',
    '9007199254740993',
    '0x10',
    'null',
    'undefined',
    '2026-02-30T25:61:61Z',
  ),
  fc.integer({ min: 1, max: 5_000 }).map((length) => 'x'.repeat(length)),
);

export const awkwardNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(-1, 0, -0, 1e308, 2 ** 53, -(2 ** 53) - 2, 0.1),
);

/** Any JSON value, up to four levels deep. */
export const anyJson = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<unknown>;

export const awkwardValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: awkwardText, weight: 3 },
  { arbitrary: awkwardNumber, weight: 2 },
  { arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { __proto__: null }), weight: 2 },
  { arbitrary: anyJson, weight: 2 },
);

const names = (count: number) => Array.from({ length: count }, (_, i) => `"${i.toString(36)}":0`).join();

/** Expensive to parse or to store for their length. */
const EXPENSIVE_TEXTS: ((times: number) => string)[] = [
  (times) => '['.repeat(times) + ']'.repeat(times),
  (times) => '['.repeat(times),
  (times) => `${'{"a":'.repeat(times)}1${'}'.repeat(times)}`,
  (times) => `[${'{},'.repeat(times)}0]`,
  (times) => `[${'0,'.repeat(times)}0]`,
  (times) => `{${names(times)}}`,
  (times) => `"${'\\u0000'.repeat(times)}"`,
  (times) => `"${'\\"'.repeat(times)}`,
  (times) => `1${'0'.repeat(times)}`,
];

const expensiveText = (mostTimes: number) =>
  fc
    .tuple(fc.constantFrom(...EXPENSIVE_TEXTS), fc.integer({ min: 1, max: mostTimes }))
    .map(([make, times]) => make(times));

export const expensiveJsonText = expensiveText(4_000);
export const longExpensiveJsonText = expensiveText(200_000);
