import { OWN_TYPES, UNREADABLE_TYPE } from '../../contract/event';

/** Whether an event of a type is among what the globs accept. */
export type EventMatcher = (event: { type: string }) => boolean;

/**
 * `*` in a glob stands for any run of characters. An event whose type could not be read has none that could be meant, so only
 * a plain `*` accepts it. Our own events go only to whom asks for them by a glob that begins with `relay.`: `*` means everything
 * of Co-Pilot's, so that software made for that is not surprised.
 */
export function eventMatcher(globs: readonly string[]): EventMatcher {
  const own = globs.filter((glob) => glob.startsWith(OWN_TYPES)).map(globMatcher);
  const all = globs.includes('*');
  const matchers = globs.map(globMatcher);
  return ({ type }) => {
    if (type.startsWith(OWN_TYPES)) return own.some((fits) => fits(type));
    return all || (type !== UNREADABLE_TYPE && matchers.some((fits) => fits(type)));
  };
}

/** Part by part and never back: a regular expression with many `*` could hold up the intake for hours. */
function globMatcher(glob: string): (type: string) => boolean {
  const [head = '', ...parts] = glob.split('*');
  const tail = parts.pop();
  if (tail === undefined) return (type) => type === glob;
  return (type) => {
    const end = type.length - tail.length;
    if (end < head.length || !type.startsWith(head) || !type.endsWith(tail)) return false;
    let from = head.length;
    for (const part of parts) {
      const at = type.indexOf(part, from);
      if (at === -1 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  };
}
