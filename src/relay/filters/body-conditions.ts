import type { Filter } from '../../contract/filter';
import { foldBody, foldQuery } from '../ground/fold-text';
import { parseBody } from '../ground/parse-body';
import { compileFilter } from './compile-filter';

/** Of the filters of a list, those that need the bodies of events. */
interface BodyConditions {
  /** Conditions on the payload. */
  payload?: Filter | undefined;
  /** A text that the body contains. */
  q?: string | undefined;
}

/** The conditions as JSON, or null if there are none. @throws RelayError as `compileFilter` does */
export function bodyConditions({ payload, q }: BodyConditions): string | null {
  if (payload !== undefined) compileFilter(payload);
  return payload === undefined && q === undefined ? null : JSON.stringify({ payload, q });
}

/**
 * Whether a body meets the conditions. With `payload`, it must be JSON.
 * @param conditions JSON of {@link bodyConditions}
 */
export function compileConditions(conditions: string): (body: Uint8Array) => boolean {
  const { payload, q } = JSON.parse(conditions) as BodyConditions;
  const texts = q === undefined ? null : foldQuery(q);
  const matches = payload === undefined ? null : compileFilter(payload);
  return (body) => {
    const folded = texts === null ? '' : foldBody(body);
    if (texts?.some((text) => folded.includes(text)) === false) return false;
    return matches === null || matches(parseBody(body));
  };
}
