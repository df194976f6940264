const MOST_STEPS = 10;
const LONGEST_PATH = 200;

/** Names that lead out of the data, into the machinery of the language. */
const PROTOTYPE = new Set(['__proto__', 'constructor', 'prototype']);

/** The steps of a path such as `data.tags.0`, or what is wrong with it. */
export function readPath(path: string): string[] | string {
  if (path.length > LONGEST_PATH) return `a path has at most ${LONGEST_PATH} characters`;
  const steps = path.split('.');
  if (steps.length > MOST_STEPS) return `a path has at most ${MOST_STEPS} steps`;
  if (steps.includes('')) return 'a path is names with single dots between them';
  if (steps.some((step) => step.startsWith('$'))) return 'a path holds no operator';
  return steps.some((step) => PROTOTYPE.has(step)) ? 'a path does not lead into a prototype' : steps;
}

/**
 * Whether any value that a path leads to passes a test. Through an array without an index it leads to what lies beneath
 * each element; the array's own elements are not looked into further: an array within an array is reached by its index.
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
