import { readFile } from 'node:fs/promises';

/** How relative names are completed: resolv.conf(5). */
export interface SearchList {
  domains: readonly string[];
  /** A name with at least this many dots is first queried as it is (`ndots`). */
  ndots: number;
}

const MAX_NDOTS = 15;

/** The search list of this machine; empty if there is no such file. */
export async function readSearchList(): Promise<SearchList> {
  return parseSearchList(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''));
}

export function parseSearchList(text: string): SearchList {
  let domains: string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    // The last entry of either kind wins.
    if (keyword === 'search' || keyword === 'domain') domains = values;
    if (keyword !== 'options') continue;
    const option = values.find((value) => /^ndots:\d+$/.test(value));
    if (option !== undefined) ndots = Math.min(MAX_NDOTS, Number(option.slice('ndots:'.length)));
  }
  return {
    domains: domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''),
    ndots,
  };
}

/** The names to query, in order; a trailing dot marks an absolute name. */
export function candidateNames(name: string, { domains, ndots }: SearchList): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const expanded = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > ndots ? [name, ...expanded] : [...expanded, name];
}
