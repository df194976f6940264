import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request that the target received. */
export interface Hit {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The status of the response, or a function that sends it. */
export type Behaviour = number | ((response: ServerResponse, hit: Hit) => void);

/** A target: a real server on loopback that records requests and responds as configured. */
export class RecordingTarget {
  readonly hits: Hit[] = [];
  private behaviour: Behaviour = 200;
  private open = 0;
  /** The maximum number of concurrent requests. */
  peak = 0;

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {}

  /** @param tls starts it with TLS */
  static async start(behaviour: Behaviour = 200, tls?: ServerOptions): Promise<RecordingTarget> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const target = new RecordingTarget(server, tls === undefined ? 'http' : 'https');
    target.behaviour = behaviour;
    server.on('request', (request, response) => {
      target.open += 1;
      target.peak = Math.max(target.peak, target.open);
      response.on('close', () => (target.open -= 1));
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => {
        const { method, url, headers } = request;
        const hit = { method, path: url, headers, body: Buffer.concat(parts) };
        target.hits.push(hit);
        if (typeof target.behaviour === 'number') response.writeHead(target.behaviour).end();
        else target.behaviour(response, hit);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return target;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}/events?from=switchboard`;
  }

  /** The number of requests in progress. */
  get requestsInProgress(): number {
    return this.open;
  }

  respondWith(behaviour: Behaviour): void {
    this.behaviour = behaviour;
  }

  /** The requests for one event, in order of arrival. */
  of(eventId: string): Hit[] {
    return this.hits.filter(({ headers }) => headers['webhook-id'] === eventId);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** Resets the connection without a response. */
export function reset(response: ServerResponse): void {
  (response.socket as Socket).resetAndDestroy();
}
