import * as fc from 'fast-check';
import { FILTER_WORDS } from '../../../src/contract/path-limits';
import { payloadPath } from '../../../src/contract/payload-path';
import { parsePath } from '../../../src/relay/filters/filter-paths';

const parts = fc.constantFrom('a', '.', '\\', '$', '\n', '0', '\u{1F600}', '$ref', ...FILTER_WORDS);

it('the API takes as a path what filters do', () => {
  const text = fc.array(parts, { maxLength: 24 }).map((all) => all.join(''));
  fc.assert(
    fc.property(
      text,
      (path) => payloadPath.safeParse(path).success === (typeof parsePath(path) !== 'string'),
    ),
    { numRuns: 5_000 },
  );
});

it('a path has at most 200 characters, and is checked without delay', () => {
  for (const [path, isPath] of [
    ['\u{1F600}'.repeat(200), true],
    ['a'.repeat(201), false],
    [`${'\\'.repeat(10_000)}.`, false],
  ] as const) {
    expect(payloadPath.safeParse(path).success).toBe(isPath);
    expect(typeof parsePath(path) !== 'string').toBe(isPath);
  }
});
