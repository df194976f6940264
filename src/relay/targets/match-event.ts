import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../contract/constants';
import { patternMatcher } from '../filters/type-pattern';

/** Whether a target's patterns accept an event of this type. */
export type EventMatcher = (event: { type: string }) => boolean;

/** Whether patterns accept nothing but system events, so that the target informs operators. */
export const isForAlerts = (patterns: readonly string[]): boolean =>
  patterns.every((pattern) => pattern.startsWith(SYSTEM_EVENT_PREFIX));

/**
 * `*` in a pattern matches any characters. An event whose type cannot be read is stored with the type `unreadable`;
 * only the pattern `*` accepts it. System events are accepted only by patterns that begin with `relay.`: receivers
 * written for Co-Pilot's events do not expect them, so `*` excludes them.
 */
export function eventMatcher(patterns: readonly string[]): EventMatcher {
  const systemMatchers = patterns
    .filter((pattern) => pattern.startsWith(SYSTEM_EVENT_PREFIX))
    .map(patternMatcher);
  const all = patterns.includes('*');
  const matchers = patterns.map(patternMatcher);
  return ({ type }) => {
    if (type.startsWith(SYSTEM_EVENT_PREFIX)) return systemMatchers.some((matches) => matches(type));
    return all || (type !== UNREADABLE_TYPE && matchers.some((matches) => matches(type)));
  };
}
