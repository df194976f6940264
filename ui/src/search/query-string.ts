/** What stands behind the question mark of an address: texts, repeated where there are several. */
export type QueryParams = Record<string, string | string[]>;

/** Reads `?type=a&type=b&entity=c`. Addresses are written by people too, so they stay free of JSON. */
export function parseSearch(text: string): QueryParams {
  const search: QueryParams = {};
  const params = new URLSearchParams(text);
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    search[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return search;
}

/** Writes what `parseSearch` reads. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string') params.append(name, value);
    else if (Array.isArray(value)) for (const one of value) params.append(name, String(one));
  }
  // Both are allowed in a query, and an address with them is read more easily.
  const text = params.toString().replaceAll('%2F', '/').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}
