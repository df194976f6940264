import { FILTER_WORDS, MAX_PATH_LENGTH, MAX_PATH_STEPS } from '../../contract/path-limits';
import { atMost } from '../../contract/text-length';
import { writeJson } from '../ground/parse-body';
import { someElement } from './some-element';

const RESERVED = new Set<string>(FILTER_WORDS);
const [isShort] = atMost(MAX_PATH_LENGTH);

/** A dot, unless it is escaped: after an odd number of backslashes. */
const STEP_END = /(?<=(?:^|[^\\])(?:\\\\)*)\./;
/** A backslash before any other character is one itself. */
const ESCAPE = /\\([.\\])|^\\(?=\$)/g;

/**
 * Splits a path such as `data.tags.0` into its steps. `\.` is a dot of a name, `\\` a backslash, and `\$` the start
 * of a name that could be taken for an operator.
 * @returns a string that describes the error if the path is invalid
 */
export function parsePath(path: string): string[] | string {
  if (!isShort(path)) return `a path can have at most ${MAX_PATH_LENGTH} characters`;
  const written = path.split(STEP_END);
  if (written.length > MAX_PATH_STEPS) return `a path can have at most ${MAX_PATH_STEPS} steps`;
  if (written.includes('')) return 'a path consists of names separated by single dots';
  return written.some(isReserved)
    ? 'a path cannot contain an operator; a field of such a name is written with a backslash before its $'
    : written.map((name) => name.replace(ESCAPE, '$1'));
}

/** Adds a step to a path, so that {@link parsePath} finds it. @param path empty for a field of the outermost object */
export function joinPath(path: string, name: string): string {
  const escaped = name.replace(/[.\\]/g, '\\$&');
  const step = isReserved(name, path === '' ? 0 : 1) ? `\\${escaped}` : escaped;
  return path === '' ? step : `${path}.${step}`;
}

/** Whether a name at this place of a path is an operator, or would be one as the key of a filter. */
const isReserved = (name: string, place: number) =>
  name.startsWith('$') && (place === 0 || RESERVED.has(name));

/**
 * Whether any value at a path passes a test. A name after an array applies to each of its elements, and to those of
 * arrays in it.
 */
export function someAt(
  value: unknown,
  steps: readonly string[],
  test: (found: unknown) => boolean,
  from = 0,
): boolean {
  const step = steps[from];
  if (step === undefined) return test(value);
  if (!Array.isArray(value)) return someNamed(value, steps, test, from);
  if (/^\d+$/.test(step))
    return Number(step) < value.length && someAt(value[Number(step)], steps, test, from + 1);
  return someElement(value, (element) => someNamed(element, steps, test, from));
}

function someNamed(
  value: unknown,
  steps: readonly string[],
  test: (found: unknown) => boolean,
  from: number,
): boolean {
  const step = steps[from]!;
  if (typeof value !== 'object' || value === null) return false;
  return (
    Object.hasOwn(value, step) && someAt((value as Record<string, unknown>)[step], steps, test, from + 1)
  );
}

const MAX_VALUE_LENGTH = 200;

/**
 * By path, the first value there; a path without one is missing. Longer texts are truncated, and objects and arrays are
 * JSON text, so that each value can be shown in a cell.
 */
export function valuesAt(
  paths: readonly string[],
  content: unknown,
  longest = MAX_VALUE_LENGTH,
): Record<string, unknown> {
  const values: [path: string, value: unknown][] = [];
  for (const path of paths) {
    const steps = parsePath(path);
    if (typeof steps === 'string') continue;
    someAt(content, steps, (found) => {
      const text = typeof found === 'object' && found !== null ? writeJson(found) : found;
      const isLong = typeof text === 'string' && text.length > longest;
      values.push([path, isLong ? `${text.slice(0, longest)}…` : text]);
      return true;
    });
  }
  return Object.fromEntries(values);
}
