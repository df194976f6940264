import * as fc from 'fast-check';
import { eventPattern } from '../../src/contract/primitives';
import { compileFilter, looksAtChanges } from '../../src/relay/filters/compile-filter';
import { parseNotification } from '../../src/relay/intake/parse-notification';
import { RelayError } from '../../src/relay/ground/relay-error';
import { eventMatcher } from '../../src/relay/targets/match-event';
import { anyFilter, eventGlobs, eventType, filteredContent } from './filters';
import { notificationBody } from './notifications';
import { expectNoStall, heapMegabytes } from './stalls';

const MAX_HEAP_GROWTH_MB = 16;
/** At most twenty errors, whose paths have at most ten names of 200 characters. */
const MAX_ERRORS_LENGTH = 50_000;
/** An entity: kind, colon, id. */
const MAX_TEXT_LENGTH = 301;

/** Runs the pure functions that parse outside input with `cases` random inputs each. */
export function fuzzInProcess(cases: number): void {
  it('parses any notification', () => {
    let readable = 0;
    check(
      cases,
      fc.property(notificationBody, (body) => {
        const parsed = parseNotification(body);
        if (parsed.unreadable === null) readable += 1;
        expectNoStall(() => parseNotification(body));
        // Shown in lists, so their length is limited.
        for (const text of [
          parsed.type,
          parsed.entity ?? 'none',
          parsed.name ?? 'none',
          parsed.webhookId ?? 'none',
        ])
          if (text.length === 0 || text.length > MAX_TEXT_LENGTH)
            throw new Error(`Text of invalid length: ${text}`);
      }),
    );
    expect(readable).toBeGreaterThan(cases / 100);
  });

  it('rejects a filter with its errors, or matches with it', () => {
    let compiled = 0;
    check(
      cases,
      fc.property(anyFilter, filteredContent, (filter, content) => {
        let matcher: ReturnType<typeof compileFilter> | null = null;
        expectNoStall(() => {
          try {
            matcher = compileFilter(filter);
          } catch (error) {
            if (!(error instanceof RelayError) || error.status !== 422) throw error;
            if (error.errors!.length > 20 || JSON.stringify(error.errors).length > MAX_ERRORS_LENGTH)
              throw new Error('The error response is too long.', { cause: error });
          }
        });
        if (matcher === null) return;
        compiled += 1;
        expectNoStall(() => expect(typeof matcher!(content, () => content)).toBe('boolean'));
        expectNoStall(() => expect(matcher!(content) !== null || looksAtChanges(filter)).toBe(true));
      }),
    );
    expect(compiled).toBeGreaterThan(cases / 100);
  });

  it('matches any type against any patterns', () => {
    let matched = 0;
    check(
      cases,
      fc.property(eventGlobs, eventType, (globs, type) => {
        for (const glob of globs) eventPattern.parse(glob);
        expectNoStall(() => (matched += eventMatcher(globs)({ type }) ? 1 : 0));
      }),
    );
    expect(matched).toBeGreaterThan(cases / 100);
  });
}

/** Checks the property, and that the heap does not grow after the first quarter of the runs. */
function check<Values extends [unknown, ...unknown[]]>(cases: number, property: fc.IProperty<Values>): void {
  fc.assert(property, { numRuns: Math.ceil(cases / 4) });
  const warm = heapMegabytes();
  fc.assert(property, { numRuns: cases - Math.ceil(cases / 4) });
  expect(heapMegabytes() - warm).toBeLessThan(MAX_HEAP_GROWTH_MB);
}
