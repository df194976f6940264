import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

export interface Asking {
  method?: string;
  /** `host` as well: nothing is added but what HTTP cannot do without. */
  headers?: OutgoingHttpHeaders;
  json?: unknown;
  body?: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body, or null where it is not JSON. */
  json: unknown;
}

/** One request over a connection of its own; redirects are not followed. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, json, body }: Asking,
): Promise<Answer> {
  const payload = json === undefined ? body : JSON.stringify(json);
  const all = { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method, headers: all, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /json/.test(incoming.headers['content-type'] ?? '') && text !== '';
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            json: isJson ? JSON.parse(text) : null,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
