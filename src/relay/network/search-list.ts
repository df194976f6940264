import { readFile } from 'node:fs/promises';

/** How names that are not complete are to be completed: resolv.conf(5). */
export interface SearchList {
  domains: readonly string[];
  /** A name with so many dots is tried as it is first. */
  dots: number;
}

const MOST_DOTS = 15;

/** That of this machine; an empty one where there is no such file. */
export async function readSearchList(): Promise<SearchList> {
  return parseSearchList(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''));
}

export function parseSearchList(text: string): SearchList {
  let domains: string[] = [];
  let dots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    // The last one of either stands.
    if (keyword === 'search' || keyword === 'domain') domains = values;
    if (keyword !== 'options') continue;
    const given = values.find((value) => /^ndots:\d+$/.test(value));
    if (given !== undefined) dots = Math.min(MOST_DOTS, Number(given.slice('ndots:'.length)));
  }
  return {
    domains: domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''),
    dots,
  };
}

/** The names to ask for, in their order; what ends with a dot is complete. */
export function namesToAsk(name: string, { domains, dots }: SearchList): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const completed = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > dots ? [name, ...completed] : [...completed, name];
}
