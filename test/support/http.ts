import { Agent, request, type IncomingHttpHeaders } from 'node:http';

/** A request built by hand: nothing is added to it but what HTTP cannot do without. */
export interface TestRequest {
  method?: string;
  /** In this order; a name may occur twice. */
  headers?: [name: string, value: string][];
  body?: Buffer | string;
  /** Sends the body in pieces of this size, without a content-length. */
  chunkBytes?: number;
}

export interface TestResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  /** The parsed body, or null where it is not JSON. */
  json: unknown;
}

/** Connections of one client, kept alive between its requests. */
export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(readonly port: number) {}

  send(
    path: string,
    { method = 'GET', headers = [], body, chunkBytes }: TestRequest = {},
  ): Promise<TestResponse> {
    const bytes = body === undefined ? null : Buffer.from(body);
    const length: [string, string][] =
      chunkBytes !== undefined ? [] : [['content-length', String(bytes?.length ?? 0)]];
    const raw = [['host', `127.0.0.1:${this.port}`], ...length, ...headers].flat();
    return new Promise((resolve, reject) => {
      const outgoing = request(
        // Node's own types know an array of names and values only for a response.
        { host: '127.0.0.1', port: this.port, path, method, agent: this.agent, headers: raw as never },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const whole = Buffer.concat(chunks);
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              body: whole,
              text: whole.toString(),
              json: parsed(whole),
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

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
