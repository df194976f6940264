import { Agent, request, type IncomingHttpHeaders } from 'node:http';

type Headers = readonly (readonly [name: string, value: string])[];

/** A raw request, to which only the headers required by HTTP are added. */
export interface TestRequest {
  method?: string;
  /** Pairs are sent in their order, and a name may occur twice. */
  headers?: Headers | Record<string, string | undefined>;
  body?: Buffer | string;
  /** A JSON body, sent with its content type. */
  json?: unknown;
  /** Sends the body in pieces of this size, without a content-length. */
  chunkBytes?: number;
}

export interface TestResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  /** The parsed body, or null if it is not JSON. */
  json: unknown;
}

/** A client with keep-alive connections. */
export class HttpClient {
  private readonly agent: Agent;

  /** @param localAddress the address from which it connects; Linux allows all of 127.0.0.0/8 */
  constructor(
    readonly port: number,
    localAddress?: string,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: 64, ...(localAddress && { localAddress }) });
  }

  send(
    path: string,
    { method = 'GET', headers = [], body, json, chunkBytes }: TestRequest = {},
  ): Promise<TestResponse> {
    const payload = json === undefined ? body : JSON.stringify(json);
    const bytes = payload === undefined ? null : Buffer.from(payload);
    const given = toPairs(headers);
    const hasLength = chunkBytes === undefined && (bytes !== null || (method !== 'GET' && method !== 'HEAD'));
    const added: Headers = [
      ['host', `127.0.0.1:${this.port}`],
      ...(json === undefined ? [] : [['content-type', 'application/json'] as const]),
      ...(hasLength ? [['content-length', String(bytes?.length ?? 0)] as const] : []),
    ];
    const names = new Set(given.map(([name]) => name.toLowerCase()));
    const raw = [...added.filter(([name]) => !names.has(name)), ...given].flat();
    return new Promise((resolve, reject) => {
      const outgoing = request(
        // Node's types allow an array of names and values only in responses.
        { host: '127.0.0.1', port: this.port, path, method, agent: this.agent, headers: raw as never },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const content = Buffer.concat(chunks);
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              body: content,
              text: content.toString(),
              json: parsed(content),
            });
          });
        },
      );
      outgoing.on('error', reject);
      if (bytes !== null && chunkBytes !== undefined) {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          outgoing.write(bytes.subarray(at, at + chunkBytes));
        outgoing.end();
      } else outgoing.end(bytes ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function toPairs(headers: NonNullable<TestRequest['headers']>): Headers {
  if (Array.isArray(headers)) return headers as Headers;
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
