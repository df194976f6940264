import { RelayError } from '../ground/relay-error';

/**
 * A change of many things must say which: by conditions, or by `all`. Otherwise conditions that were forgotten, or
 * that a faulty program left empty, would select everything.
 * @param names the conditions that the request accepts
 * @throws RelayError `selection_missing`, `selection_ambiguous`, 422
 */
export function assertSelection(
  what: string,
  all: boolean | undefined,
  conditions: object,
  names: readonly string[],
): void {
  const given = Object.entries(conditions).flatMap(([name, value]) => (isEmpty(value) ? [] : [name]));
  if (all !== true && given.length === 0)
    throw new RelayError('selection_missing', 422, `The request does not say which ${what} it means.`, {
      remedy: `Set at least one of ${names.join(', ')}; or set "all": true to select all ${what}.`,
    });
  // With one of them, `all` is everything that was counted.
  const narrowing = given.filter((name) => name !== 'until_seq' && name !== 'failed_until');
  if (all === true && narrowing.length > 0)
    throw new RelayError(
      'selection_ambiguous',
      422,
      `The request selects all ${what}, and only some of them.`,
      {
        remedy: `Omit "all", or omit ${narrowing.join(', ')}.`,
      },
    );
}

/** Nothing, blank text, or a list or an object without anything in it. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.every(isEmpty);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null;
}
