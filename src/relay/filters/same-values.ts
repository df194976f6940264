import { compareNumbers, ExactNumber } from '../ground/exact-number';

/**
 * Whether two values of parsed JSON are the same; the order of members does not matter. Not recursive: arrays may be
 * nested very deep.
 */
export function sameValues(one: unknown, other: unknown): boolean {
  const open: [one: unknown, other: unknown][] = [[one, other]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [a, b] = next;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (a instanceof ExactNumber || b instanceof ExactNumber) {
      if (!(a instanceof ExactNumber && b instanceof ExactNumber) || compareNumbers(a, b) !== 0) return false;
      continue;
    }
    const names = Object.keys(a);
    if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false;
      open.push([(a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]]);
    }
  }
  return true;
}
