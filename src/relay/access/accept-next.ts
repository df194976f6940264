const BASE = 'http://here.invalid';

/**
 * Where a login may lead: a path on this daemon, else its front page. The path is read as browsers read it, which drop
 * tabs and newlines, take a backslash for a slash and fold dots, so that `/\evil.example` and `/.//evil.example` are seen
 * for what they are.
 */
export function acceptNext(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?!\/)/.test(next) || next.includes('\\')) return '/';
  if (!URL.canParse(next, BASE)) return '/';
  const { origin, pathname, search, hash } = new URL(next, BASE);
  if (origin !== BASE || pathname.startsWith('//')) return '/';
  return pathname + search + hash;
}
