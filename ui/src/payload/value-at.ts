import { isContainer, type Json, type Step } from './json';

/** The value at the end of a path, if it leads to one. */
export function valueAt(json: Json, path: readonly Step[]): Json | undefined {
  let found: Json | undefined = json;
  for (const step of path) {
    if (found === undefined || !isContainer(found)) return undefined;
    found = found.kind === 'object' ? found.members.get(String(step)) : found.items[Number(step)];
  }
  return found;
}
