import {
  request as sendRequest,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { RelayError } from '../ground/relay-error';
import { closeIfUnread } from './close-in-stages';
import { describeProblem } from './describe-problem';
import { isPageView } from './dashboard-files';
import { noLeaderPage } from './no-leader-page';
import { PAGE_POLICY } from './html-page';

/** To accept a connection, and between two parts of a response. The slowest response, to a target test, takes 10 s. */
const SILENCE_MS = 30_000;

/** These belong to one connection (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface ForwarderOptions {
  /** Where the leader is reached, such as `http://10.0.0.5:4000`; null while there is none. */
  leader: () => string | null;
  /** The header that tells the leader the peer of the connection, so that it believes it. */
  peerHeader: (address: string) => [name: string, value: string];
}

/** Lets the leader answer requests, and WebSockets, of this daemon. */
export class Forwarder {
  /** With the leader that each leads to. */
  private readonly open = new Map<ClientRequest | Socket, string | null>();

  constructor(private readonly options: ForwarderOptions) {}

  /**
   * Forwards all requests and WebSockets of a server. Call it after its listeners have been added.
   * @param isLocal what the server answers itself
   * @param socketPath path prefix of the WebSockets
   */
  attach(server: Server, isLocal: (url: string) => boolean, socketPath: string): void {
    const locals = server.listeners('request') as Listener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      if (isLocal(request.url!)) for (const listener of locals) listener.call(server, request, response);
      else this.forward(request, response);
    });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (request.url!.startsWith(socketPath)) this.tunnel(request, socket, head);
    });
  }

  forward(request: IncomingMessage, response: ServerResponse): void {
    const upstream = this.connect(request, headersOf(request.rawHeaders));
    if (upstream === null) return respondWithout(request, response);
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.statusMessage, flat(headersOf(answer.rawHeaders)));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', () =>
      response.headersSent ? response.destroy() : respondWithout(request, response),
    );
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }

  /** Ends what waits for a former leader, which may be frozen. */
  endFormer(): void {
    const leader = this.options.leader();
    for (const [one, address] of this.open)
      if (address !== leader) one.destroy(new Error('Another daemon leads.'));
  }

  /** Ends everything that is still forwarded. */
  close(): void {
    for (const one of this.open.keys()) one.destroy();
  }

  private tunnel(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const headers = headersOf(request.rawHeaders);
    const upgrade: [string, string][] = [
      ['connection', 'Upgrade'],
      ['upgrade', request.headers.upgrade ?? ''],
    ];
    const upstream = this.connect(request, [...headers, ...upgrade]);
    socket.on('error', () => socket.destroy());
    if (upstream === null) return void socket.end(headOf(503, []));
    this.keep(socket);
    upstream.on('upgrade', (answer, other: Socket, otherHead: Buffer) => {
      this.keep(other);
      socket.write(headOf(101, [...headersOf(answer.rawHeaders), ...upgrade]));
      socket.write(otherHead);
      other.write(head);
      other.on('error', () => socket.destroy());
      other.on('close', () => socket.destroy());
      socket.on('close', () => other.destroy());
      socket.pipe(other).pipe(socket);
    });
    upstream.on('response', (answer) => {
      socket.write(headOf(answer.statusCode!, [...headersOf(answer.rawHeaders), ['connection', 'close']]));
      answer.pipe(socket);
    });
    upstream.on('error', () => socket.end(headOf(503, [])));
    upstream.end();
  }

  private connect(request: IncomingMessage, headers: [string, string][]): ClientRequest | null {
    const leader = this.options.leader();
    if (leader === null) return null;
    const { hostname, port } = new URL(leader);
    const peer = this.options.peerHeader(request.socket.remoteAddress ?? '');
    const upstream = sendRequest({
      // A reused connection that the leader has just closed would fail the request.
      agent: false,
      hostname: hostname.replaceAll(/[[\]]/g, ''),
      port,
      method: request.method!,
      path: request.url!,
      headers: flat([...headers.filter(([name]) => name.toLowerCase() !== peer[0]), peer]),
      setHost: false,
      timeout: SILENCE_MS,
    });
    upstream.on('timeout', () => upstream.destroy(new Error('The leader does not respond.')));
    this.keep(upstream);
    return upstream;
  }

  private keep(one: ClientRequest | Socket): void {
    this.open.set(one, this.options.leader());
    one.once('close', () => this.open.delete(one));
  }
}

/** Without those of the connection, including those that `Connection` names. */
function headersOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) pairs.push([rawHeaders[i]!, rawHeaders[i + 1]!]);
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name.toLowerCase() === 'connection' ? value.split(',').map((one) => one.trim().toLowerCase()) : [],
    ),
  );
  return pairs.filter(([name]) => !OF_CONNECTION.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

const flat = (headers: readonly [string, string][]): string[] => headers.flat();

const headOf = (status: number, headers: readonly [string, string][]): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;

const RETRY_AFTER_S = 2;

function respondWithout(request: IncomingMessage, response: ServerResponse): void {
  const problem = describeProblem(
    new RelayError(
      'no_leader',
      503,
      'The daemon that answers this is not reachable from the one that you asked.',
      {
        remedy: 'Try again: another daemon takes over within seconds.',
      },
    ),
  );
  closeIfUnread(request, response);
  const isPage = request.method === 'GET' && isPageView(request.headers.accept);
  response
    .writeHead(503, {
      'retry-after': String(RETRY_AFTER_S),
      'cache-control': 'no-store',
      ...(isPage
        ? { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY }
        : { 'content-type': 'application/problem+json; charset=utf-8' }),
    })
    .end(isPage ? noLeaderPage(RETRY_AFTER_S) : JSON.stringify(problem));
}
