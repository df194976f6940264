import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createPlain,
  request as forward,
  type IncomingMessage,
  type Server as PlainServer,
  type ServerResponse,
} from 'node:http';
import { createServer, Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Certified } from './certificates';

const CERTIFICATES = resolve(__dirname, '../../fixtures/certificates');

/** The authority that issued all certificates but the self-signed one. */
export const AUTHORITY = `${CERTIFICATES}/authority.pem`;

/** What becomes of a request whose body was read. */
export type FrontBehaviour = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

type Certificate = 'good' | 'expired' | 'wrong-name' | 'self-signed';

/** What stands at a public address before the daemon: a reverse proxy, a tunnel, or something else altogether. */
export class PublicProxy {
  /** The paths that were asked for. */
  readonly paths: string[] = [];
  behaviour: FrontBehaviour = (_, __, response) => void response.writeHead(503).end();

  private constructor(private readonly server: Server | PlainServer) {}

  static start(certificate: Certified = pairOf('good')): Promise<PublicProxy> {
    return PublicProxy.with(createServer(certificate));
  }

  /** Without https, as only loopback may be. */
  static startPlain(): Promise<PublicProxy> {
    return PublicProxy.with(createPlain());
  }

  private static async with(server: Server | PlainServer): Promise<PublicProxy> {
    const front = new PublicProxy(server);
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
    const scheme = this.server instanceof Server ? 'https' : 'http';
    return `${scheme}://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  show(certificate: Certificate | Certified): void {
    const pair = typeof certificate === 'string' ? pairOf(certificate) : certificate;
    if (this.server instanceof Server) this.server.setSecureContext(pair);
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

function pairOf(name: Certificate): Certified {
  return {
    cert: readFileSync(`${CERTIFICATES}/${name}.pem`, 'utf8'),
    key: readFileSync(`${CERTIFICATES}/${name}.key`, 'utf8'),
  };
}
