/** Whether an event of a type is among what the globs accept. */
export type EventMatcher = (event: { type: string; unreadable: string | null }) => boolean;

/**
 * `*` in a glob stands for any run of characters. An unreadable event has no type that could be meant, so only a plain
 * `*` accepts it.
 */
export function eventMatcher(globs: readonly string[]): EventMatcher {
  if (globs.includes('*')) return () => true;
  const pattern = new RegExp(`^(?:${globs.map(globPattern).join('|')})$`);
  return ({ type, unreadable }) => unreadable === null && pattern.test(type);
}

const globPattern = (glob: string) => glob.split('*').map(escapePattern).join('.*');

const escapePattern = (text: string) => text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&');
