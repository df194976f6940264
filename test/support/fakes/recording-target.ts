import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it reached the target. */
export interface Hit {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A status to answer with, or an answer by hand. */
export type Behaviour = number | ((response: ServerResponse, hit: Hit) => void);

/** Somebody's server that events go to: real, on loopback, keeping what it receives and answering as told. */
export class RecordingTarget {
  readonly hits: Hit[] = [];
  private behaviour: Behaviour = 200;
  private open = 0;
  /** How many requests were under way at once, at most. */
  peak = 0;

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {}

  /** @param tls makes it speak https */
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

  /** How many requests are under way. */
  get underWay(): number {
    return this.open;
  }

  answer(behaviour: Behaviour): void {
    this.behaviour = behaviour;
  }

  /** What came of one event, in the order in which it came. */
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

/** Drops the connection without an answer. */
export function reset(response: ServerResponse): void {
  (response.socket as Socket).resetAndDestroy();
}
