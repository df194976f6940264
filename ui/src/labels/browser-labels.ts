/** The first match counts: Edge and Opera also claim to be Chrome, and Chrome to be Safari. */
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
];
/** The first match counts: Android also claims to be Linux, and an iPhone to be `like Mac OS X`. */
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

const first = (patterns: typeof BROWSERS, agent: string) =>
  patterns.find(([, pattern]) => pattern.test(agent))?.[0];

/** A user agent in a few words, such as `Firefox on Linux`; of an unknown one, its first word. */
export function browserLabel(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown browser';
  const [browser, system] = [first(BROWSERS, agent), first(SYSTEMS, agent)];
  if (browser === undefined) return agent.split(' ')[0] ?? agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
