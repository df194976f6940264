import * as fc from 'fast-check';
import { eventMatcher } from '../../../src/relay/targets/match-event';

const accepts = (patterns: string[], event: string) => eventMatcher(patterns)({ type: event });

describe('the event types of a target', () => {
  /** Compares character by character, without a regular expression. */
  const matches = (pattern: string, type: string): boolean => {
    if (pattern === '') return type === '';
    if (pattern[0] !== '*') return pattern[0] === type[0] && matches(pattern.slice(1), type.slice(1));
    return matches(pattern.slice(1), type) || (type !== '' && matches(pattern, type.slice(1)));
  };
  const pattern = fc.stringMatching(/^[ab._*-]{1,6}$/);
  const type = fc.stringMatching(/^[ab._-]{1,8}$/);

  it('are those that match its patterns', () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), type, (patterns, event) => {
        const expected = patterns.some((one) => matches(one, event));
        expect(eventMatcher(patterns)({ type: event })).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('may contain any characters, and are case-sensitive', () => {
    expect(accepts(['deal.*'], 'deal.\n')).toBe(true);
    expect(accepts(['deal.*'], 'dealX')).toBe(false);
    expect(accepts(['deal.created'], 'Deal.created')).toBe(false);
    expect(accepts(['deal'], 'deal.created')).toBe(false);
    expect(accepts(['created'], 'deal.created')).toBe(false);
  });

  it('are matched quickly, however many stars a pattern has', () => {
    const starred = eventMatcher([`${'a*'.repeat(40)}b`]);
    // Trying every way to divide the name between the stars would never end.
    expect(starred({ type: 'a'.repeat(2_000) })).toBe(false);
  });

  it('include unreadable events only with the pattern *', () => {
    const unreadable = { type: 'unreadable' };
    for (const patterns of [['**'], ['unreadable'], ['*.*', 'u*'], ['un*', 'deal.*']]) {
      expect(eventMatcher(patterns)(unreadable)).toBe(false);
    }
    expect(eventMatcher(['deal.*', '*'])(unreadable)).toBe(true);
  });
});
