import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';

const CERTIFICATES = resolve(__dirname, '../fixtures/certificates');

/** The authority that issued all certificates but the self-signed one. */
export const AUTHORITY = `${CERTIFICATES}/authority.pem`;

/** What becomes of a request whose body was read. */
export type FrontBehaviour = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

type Certificate = 'good' | 'expired' | 'wrong-name' | 'self-signed';

/** What stands at a public address before the daemon: a reverse proxy, a tunnel, or something else altogether. */
export class PublicFront {
  /** The paths that were asked for. */
  readonly paths: string[] = [];
  behaviour: FrontBehaviour = (_, __, response) => void response.writeHead(503).end();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PublicFront> {
    const server = createServer(pairOf('good'));
    const front = new PublicFront(server);
    server.on('request', (request, response) => {
      front.paths.push(request.url ?? '');
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => front.behaviour(request, Buffer.concat(parts), response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return front;
  }

  get url(): string {
    return `https://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  show(certificate: Certificate): void {
    this.server.setSecureContext(pairOf(certificate));
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

interface Alterations {
  body?: (body: Buffer) => Buffer;
  withoutHeader?: string;
  answer?: (answer: string) => string;
}

/** Passes requests on to `origin`, altered on the way there or back. */
export function passTo(origin: string, { body, withoutHeader, answer }: Alterations = {}): FrontBehaviour {
  return (request, came, response) => {
    const bytes = body?.(came) ?? came;
    const headers = { ...request.headers, 'content-length': String(bytes.length) };
    if (withoutHeader !== undefined) delete (headers as Record<string, unknown>)[withoutHeader];
    const onward = forward(
      `${origin}${request.url}`,
      { method: request.method ?? 'GET', headers },
      (back) => {
        const parts: Buffer[] = [];
        back.on('data', (part: Buffer) => parts.push(part));
        back.on('end', () => {
          const text = Buffer.concat(parts).toString();
          response.writeHead(back.statusCode ?? 0, { 'content-type': back.headers['content-type'] ?? '' });
          response.end(answer?.(text) ?? text);
        });
      },
    );
    onward.on('error', () => response.destroy());
    onward.end(bytes);
  };
}

function pairOf(name: Certificate): { cert: Buffer; key: Buffer } {
  return {
    cert: readFileSync(`${CERTIFICATES}/${name}.pem`),
    key: readFileSync(`${CERTIFICATES}/${name}.key`),
  };
}
