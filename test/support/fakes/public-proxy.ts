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
import type { CertificatePair } from './certificates';

const CERTIFICATES = resolve(__dirname, '../../fixtures/certificates');

/** The authority that issued all certificates but the self-signed one. */
export const AUTHORITY = `${CERTIFICATES}/authority.pem`;

/** Handles a request once its body was read. */
export type ProxyBehaviour = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

type Certificate = 'good' | 'expired' | 'wrong-name' | 'self-signed';

/** The server at the public URL of the daemon: a reverse proxy, a tunnel, or something else. */
export class PublicProxy {
  /** The paths of the requests so far. */
  readonly paths: string[] = [];
  behaviour: ProxyBehaviour = (_, __, response) => void response.writeHead(503).end();

  private constructor(private readonly server: Server | PlainServer) {}

  static start(certificate: CertificatePair = pairOf('good')): Promise<PublicProxy> {
    return PublicProxy.with(createServer(certificate));
  }

  /** Starts it without TLS, which is allowed only on loopback. */
  static startPlain(): Promise<PublicProxy> {
    return PublicProxy.with(createPlain());
  }

  private static async with(server: Server | PlainServer): Promise<PublicProxy> {
    const proxy = new PublicProxy(server);
    server.on('request', (request, response) => {
      proxy.paths.push(request.url ?? '');
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => proxy.behaviour(request, Buffer.concat(parts), response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    const scheme = this.server instanceof Server ? 'https' : 'http';
    return `${scheme}://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  show(certificate: Certificate | CertificatePair): void {
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

/** Forwards requests to `origin`, with alterations to request or response. */
export function passTo(origin: string, { body, withoutHeader, answer }: Alterations = {}): ProxyBehaviour {
  return (request, original, response) => {
    const bytes = body?.(original) ?? original;
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

function pairOf(name: Certificate): CertificatePair {
  return {
    cert: readFileSync(`${CERTIFICATES}/${name}.pem`, 'utf8'),
    key: readFileSync(`${CERTIFICATES}/${name}.key`, 'utf8'),
  };
}
