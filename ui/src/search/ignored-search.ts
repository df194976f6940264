import { toStrings } from './live-search';

/** What a URL contains and its screen does not use, such as `since=nonsense`. */
export function ignoredSearch(
  given: Readonly<Record<string, unknown>>,
  used: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const kept = toStrings(used[name]);
    return toStrings(value)
      .filter((text) => !kept.includes(text))
      .map((text) => `${name}=${text}`);
  });
}
