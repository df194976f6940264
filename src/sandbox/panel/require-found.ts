import { Problem } from '../problem';

/** The thing, or a 404 `Problem` that says there is none with the id asked for. */
export function requireFound<T>(thing: T | undefined, kind: string): T {
  if (thing !== undefined) return thing;
  const detail = `There is no ${kind} with this id. List those there are.`;
  throw new Problem(404, `${kind.replace(' ', '_')}_not_found`, `No such ${kind}`, detail);
}
