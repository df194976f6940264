/** URL parameters; a repeated one is an array. */
export type QueryParams = Record<string, string | string[]>;

/** Parses `?type=a&type=b&entity=c`. Values are plain text, not JSON, so that URLs can be written by hand. */
export function parseSearch(text: string): QueryParams {
  const search: QueryParams = {};
  const params = new URLSearchParams(text);
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    search[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return search;
}

/** The inverse of `parseSearch`. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string') params.append(name, value);
    else if (Array.isArray(value)) for (const one of value) params.append(name, String(one));
  }
  // Both characters are allowed in a query, and the URL is easier to read with them.
  const text = params.toString().replaceAll('%2F', '/').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}
