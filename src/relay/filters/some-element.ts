/**
 * Whether any element of an array, or of arrays in it, passes a test. Not recursive: arrays may be nested very deep.
 */
export function someElement(array: readonly unknown[], test: (element: unknown) => boolean): boolean {
  const open = [array];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const element of next) {
      if (Array.isArray(element)) open.push(element);
      else if (test(element)) return true;
    }
  }
  return false;
}
