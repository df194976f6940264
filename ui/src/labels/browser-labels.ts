/** By what a user agent is told from those that claim to be it as well; the first that fits. */
const BROWSERS: readonly [name: string, mark: RegExp][] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
];
const SYSTEMS: readonly [name: string, mark: RegExp][] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

const first = (marks: typeof BROWSERS, agent: string) => marks.find(([, mark]) => mark.test(agent))?.[0];

/** A user agent in short: `Firefox on Linux`; what is neither a browser nor a system that one knows, by its first word. */
export function browserLabel(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown browser';
  const [browser, system] = [first(BROWSERS, agent), first(SYSTEMS, agent)];
  if (browser === undefined) return agent.split(' ')[0] ?? agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
