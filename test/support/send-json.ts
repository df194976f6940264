/** @returns the parsed response @throws if it is an error */
export async function sendJson<T>(
  method: string,
  url: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const body =
    json === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  const response = await fetch(url, { method, ...body });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${new URL(url).pathname} returned ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
