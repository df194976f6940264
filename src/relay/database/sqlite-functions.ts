import { compileFilter, type ContentMatcher } from '../filters/compile-filter';
import type { Connection } from './sqlite-driver';

/**
 * Adds to a connection `matches_filter(filter, body)`: 1 where the JSON of a body is among what a filter, as JSON, accepts. So
 * it is evaluated in the thread that reads: parsing thousands of bodies would hold up the one that answers.
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
