import { compileFilter, type ContentMatcher } from '../filters/compile-filter';
import type { Connection } from './sqlite-driver';

/**
 * Adds `matches_filter(filter, body)` to a connection: 1 if a filter (JSON) accepts the JSON of a body. It runs in the reading
 * thread: parsing thousands of bodies would block the main thread.
 */
export function defineFunctions(connection: Connection): void {
  let compiled: { text: string; matches: ContentMatcher } | null = null;
  connection.function('matches_filter', { deterministic: true }, (text: string, body: Buffer) => {
    if (compiled?.text !== text) {
      compiled = { text, matches: compileFilter(JSON.parse(text) as Record<string, unknown>) };
    }
    return Number(compiled.matches(JSON.parse(body.toString('utf8'))));
  });
}
