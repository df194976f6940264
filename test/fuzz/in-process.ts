import * as fc from 'fast-check';
import { eventGlob } from '../../src/contract/event-glob';
import { compileFilter } from '../../src/relay/filters/compile-filter';
import { parseNotification } from '../../src/relay/intake/parse-notification';
import { RelayError } from '../../src/relay/ground/relay-error';
import { eventMatcher } from '../../src/relay/targets/match-event';
import { anyFilter, eventGlobs, eventType, filteredContent } from './filters';
import { notificationBody } from './notifications';
import { expectQuick, heapMegabytes } from './stalls';

const MOST_GROWTH_MB = 16;
/** Twenty paths, each of at most ten names of 200 characters. */
const LONGEST_REFUSAL = 50_000;
/** A word of a type, a colon, an id. */
const LONGEST_SHOWN = 301;

/** What is held against whatever is thrown at it, `cases` times each. */
export function fuzzInProcess(cases: number): void {
  it('reads any notification, and reads the same when asked again', () => {
    let readable = 0;
    check(
      cases,
      fc.property(notificationBody, (body) => {
        const parsed = parseNotification(body);
        if (parsed.unreadable === null) readable += 1;
        expectQuick(() => parseNotification(body));
        // Each is shown in lists.
        for (const text of [
          parsed.type,
          parsed.entity ?? 'none',
          parsed.name ?? 'none',
          parsed.webhookId ?? 'none',
        ])
          if (text.length === 0 || text.length > LONGEST_SHOWN) throw new Error(`It reads ${text}.`);
      }),
    );
    expect(readable).toBeGreaterThan(cases / 100);
  });

  it('refuses a filter by its faults, or matches by it', () => {
    let compiled = 0;
    check(
      cases,
      fc.property(anyFilter, filteredContent, (filter, content) => {
        let matcher: ReturnType<typeof compileFilter> | null = null;
        expectQuick(() => {
          try {
            matcher = compileFilter(filter);
          } catch (error) {
            if (!(error instanceof RelayError) || error.status !== 422) throw error;
            if (error.errors!.length > 20 || JSON.stringify(error.errors).length > LONGEST_REFUSAL)
              throw new Error('The refusal repeats more than it should.', { cause: error });
          }
        });
        if (matcher === null) return;
        compiled += 1;
        expectQuick(() => expect(typeof matcher!(content)).toBe('boolean'));
      }),
    );
    expect(compiled).toBeGreaterThan(cases / 100);
  });

  it('holds any type against any patterns', () => {
    let matched = 0;
    check(
      cases,
      fc.property(eventGlobs, eventType, (globs, type) => {
        for (const glob of globs) eventGlob.parse(glob);
        expectQuick(() => (matched += eventMatcher(globs)({ type }) ? 1 : 0));
      }),
    );
    expect(matched).toBeGreaterThan(cases / 100);
  });
}

/** Every case, and what they left in memory, once it was warm. */
function check<Values extends [unknown, ...unknown[]]>(cases: number, property: fc.IProperty<Values>): void {
  fc.assert(property, { numRuns: Math.ceil(cases / 4) });
  const warm = heapMegabytes();
  fc.assert(property, { numRuns: cases - Math.ceil(cases / 4) });
  expect(heapMegabytes() - warm).toBeLessThan(MOST_GROWTH_MB);
}
