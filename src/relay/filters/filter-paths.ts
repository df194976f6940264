const MAX_STEPS = 10;
const MAX_PATH_LENGTH = 200;

/** Names that would access the prototype instead of the data. */
const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Splits a path such as `data.tags.0` into its steps.
 * @returns a string that describes the error if the path is invalid
 */
export function parsePath(path: string): string[] | string {
  if (path.length > MAX_PATH_LENGTH) return `a path can have at most ${MAX_PATH_LENGTH} characters`;
  const steps = path.split('.');
  if (steps.length > MAX_STEPS) return `a path can have at most ${MAX_STEPS} steps`;
  if (steps.includes('')) return 'a path consists of names separated by single dots';
  if (steps.some((step) => step.startsWith('$'))) return 'a path cannot contain an operator';
  return steps.some((step) => PROTOTYPE_NAMES.has(step))
    ? 'a path cannot contain __proto__, constructor or prototype'
    : steps;
}

/**
 * Whether any value at a path passes a test. A name after an array applies to each of its elements, but
 * not to the elements of nested arrays: those need an index.
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
  if (!/^\d+$/.test(step)) return value.some((element) => someNamed(element, steps, test, from));
  return Number(step) < value.length && someAt(value[Number(step)], steps, test, from + 1);
}

function someNamed(
  value: unknown,
  steps: readonly string[],
  test: (found: unknown) => boolean,
  from: number,
): boolean {
  const step = steps[from]!;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return (
    Object.hasOwn(value, step) && someAt((value as Record<string, unknown>)[step], steps, test, from + 1)
  );
}

const MAX_VALUE_LENGTH = 200;

/**
 * By path, the first value there; a path without one is missing. Long texts are truncated, and objects and
 * arrays are JSON text, so that each value can be shown in a cell.
 */
export function valuesAt(paths: readonly string[], content: unknown): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const path of paths) {
    const steps = parsePath(path);
    if (typeof steps === 'string') continue;
    someAt(content, steps, (found) => {
      const text = typeof found === 'object' && found !== null ? JSON.stringify(found) : found;
      values[path] =
        typeof text === 'string' && text.length > MAX_VALUE_LENGTH
          ? `${text.slice(0, MAX_VALUE_LENGTH)}…`
          : text;
      return true;
    });
  }
  return values;
}
