import type { PayloadField } from '@contract/payload-field';

const MAX_DISTANCE = 2;
/** A dot that is not part of a name. */
const STEP_END = /(?<!\\)\./;

/** Whether stored payloads have a path. Indexes of arrays are ignored, and an object has the paths of its fields. */
export function isKnownPath(path: string, fields: readonly PayloadField[]): boolean {
  const wanted = withoutIndexes(path);
  return fields.some((field) => {
    const known = withoutIndexes(field.path);
    return known === wanted || known.startsWith(`${wanted}.`);
  });
}

/** The known path that was probably meant: one that ends with the path, or differs by a typing error; or null. */
export function suggestPath(path: string, fields: readonly PayloadField[]): string | null {
  const wanted = path.toLowerCase();
  const paths = fields.map((field) => field.path);
  const ending = paths.find((known) => known.toLowerCase().endsWith(`.${wanted}`));
  if (ending !== undefined) return ending;
  const [nearest] = paths
    .map((known) => ({
      known,
      distance: Math.min(
        distanceOf(wanted, known.toLowerCase()),
        distanceOf(wanted, lastStep(known).toLowerCase()),
      ),
    }))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= MAX_DISTANCE ? nearest.known : null;
}

const withoutIndexes = (path: string) =>
  path
    .split(STEP_END)
    .filter((step) => !/^\d+$/.test(step))
    .join('.');

const lastStep = (path: string) => path.split(STEP_END).at(-1)!;

/** The number of characters to insert, remove or replace (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, character] of Array.from(one).entries()) {
    const next = [i + 1];
    for (const [j, wanted] of Array.from(other).entries())
      next.push(Math.min(row[j]! + (character === wanted ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
