import { readFile } from 'node:fs/promises';

/** How relative names are completed: resolv.conf(5). */
export interface SearchList {
  domains: readonly string[];
  /** A name with this many dots is tried as is first. */
  dots: number;
}

const MAX_NDOTS = 15;

/** The search list of this machine; empty if there is no such file. */
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
    // The last entry of either kind wins.
    if (keyword === 'search' || keyword === 'domain') domains = values;
    if (keyword !== 'options') continue;
    const given = values.find((value) => /^ndots:\d+$/.test(value));
    if (given !== undefined) dots = Math.min(MAX_NDOTS, Number(given.slice('ndots:'.length)));
  }
  return {
    domains: domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''),
    dots,
  };
}

/** The names to query, in order; a trailing dot marks an absolute name. */
export function candidateNames(name: string, { domains, dots }: SearchList): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const expanded = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > dots ? [name, ...expanded] : [...expanded, name];
}
