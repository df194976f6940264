import {
  request as sendRequest,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { LeaderAddress } from '../ground/daemons';
import { peerHeader, PEER_HEADER } from '../secrets/forwarded-peers';
import type { Sealer } from '../secrets/sealer';
import { closeIfUnread } from '../http/close-in-stages';
import { connectToLeader } from './connect-to-leader';
import { problemDetails } from '../http/describe-problem';
import { interceptRequests } from '../http/intercept-requests';
import { keepUntilAnswered } from '../http/keep-until-answered';
import { isPageView } from '../http/dashboard-files';
import { PAGE_POLICY, plainPage } from '../http/html-page';
import { writeProblem } from '../http/send-problem';

/** These belong to one connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-(authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/i;

interface ForwarderOptions {
  /** Null while there is none. */
  leader: () => LeaderAddress | null;
  /** The path at which the leader proves that it leads. */
  proofPath: string;
  sealer: Sealer;
}

/** Proxies requests and WebSockets of this daemon to the leader. */
export class Forwarder {
  /** Open connections, with the address of the leader for which each was opened. */
  private readonly open = new Map<Socket, string | undefined>();

  constructor(private readonly options: ForwarderOptions) {}

  /**
   * Forwards all requests and WebSockets of a server. Call it after its listeners have been added.
   * @param isLocal what the server answers itself
   * @param socketPath path prefix of the WebSockets
   */
  attach(server: Server, isLocal: (url: string) => boolean, socketPath: string): void {
    interceptRequests(server, (request, response, next) => {
      if (isLocal(request.url!)) next();
      else void this.forward(request, response);
    });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (request.url!.startsWith(socketPath)) void this.tunnel(request, socket, head);
    });
  }

  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    keepUntilAnswered(request, response);
    const framing = framingOf(request);
    const upstream = await this.connect(request, response, [...requestHeadersOf(request), ...framing]);
    if (upstream === null) return response.destroyed ? undefined : respondNoLeader(request, response);
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.statusMessage, headersOf(answer.rawHeaders).flat());
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', () =>
      response.headersSent ? response.destroy() : respondNoLeader(request, response),
    );
    if (framing.length > 0) request.pipe(upstream);
    else upstream.end();
  }

  /** Ends what was forwarded to an earlier leader, which may be frozen. */
  endOutdated(): void {
    const leader = this.options.leader()?.address;
    for (const [one, address] of this.open)
      if (address !== leader) one.destroy(new Error('Another daemon leads.'));
  }

  /** Ends everything that is still forwarded. */
  close(): void {
    for (const one of this.open.keys()) one.destroy();
  }

  private async tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const upgrade: [string, string][] = [
      ['connection', 'Upgrade'],
      ['upgrade', request.headers.upgrade ?? ''],
    ];
    socket.on('error', () => socket.destroy());
    const upstream = await this.connect(request, socket, [...requestHeadersOf(request), ...upgrade]);
    if (upstream === null) return void socket.end(headOf(503, []));
    this.keep(socket);
    upstream.on('upgrade', (answer, other: Socket, otherHead: Buffer) => {
      other.setTimeout(0);
      socket.write(headOf(101, [...headersOf(answer.rawHeaders), ...upgrade]));
      socket.write(otherHead);
      other.write(head);
      other.on('error', () => socket.destroy());
      other.on('close', () => socket.destroy());
      socket.pipe(other).pipe(socket);
    });
    upstream.on('response', (answer) => {
      socket.write(headOf(answer.statusCode!, [...headersOf(answer.rawHeaders), ['connection', 'close']]));
      answer.pipe(socket);
    });
    upstream.on('error', () => socket.end(headOf(503, [])));
    upstream.end();
  }

  /**
   * Sends the head of a request to the leader, once the other end has proven to be the leader.
   * @param client ends the request with its close
   * @returns null if it cannot be reached, or does not prove it
   */
  private async connect(
    request: IncomingMessage,
    client: ServerResponse | Socket,
    headers: [string, string][],
  ): Promise<ClientRequest | null> {
    const { leader: find, proofPath, sealer } = this.options;
    const leader = find();
    if (leader === null) return null;
    try {
      const { socket, challenge } = await connectToLeader(leader, proofPath, sealer, (opened) => {
        this.keep(opened);
        if (client.destroyed) opened.destroy();
        client.once('close', () => opened.destroy());
      });
      const peer = peerHeader(sealer, challenge, request.socket.remoteAddress ?? '', request);
      return sendRequest({
        createConnection: () => socket,
        method: request.method!,
        path: request.url!,
        headers: [...headers, peer].flat(),
        setHost: false,
      });
    } catch {
      return null;
    }
  }

  private keep(socket: Socket): void {
    this.open.set(socket, this.options.leader()?.address);
    socket.once('close', () => this.open.delete(socket));
  }
}

/** Those that this daemon sets itself. */
const SET_BY_FORWARDER = new Set([PEER_HEADER, 'content-length', 'transfer-encoding']);

function requestHeadersOf({ rawHeaders, headers: { host } }: IncomingMessage): [string, string][] {
  const headers = headersOf(rawHeaders).filter(([name]) => !SET_BY_FORWARDER.has(name.toLowerCase()));
  // HTTP/1.0 needs none, but the request to the leader does (RFC 9112, 3.2).
  return host === undefined ? [['host', ''], ...headers] : headers;
}

/**
 * The header that frames the body. Without one, Node sends the body of a GET or DELETE unframed, and the leader would read
 * it as further requests.
 */
function framingOf({ headers }: IncomingMessage): [string, string][] {
  if (headers['transfer-encoding'] !== undefined) return [['transfer-encoding', 'chunked']];
  const length = headers['content-length'];
  return length === undefined ? [] : [['content-length', length]];
}

/** Without those of the connection, but with what `Connection` names: a client must not choose how it is judged. */
function headersOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) pairs.push([rawHeaders[i]!, rawHeaders[i + 1]!]);
  return pairs.filter(([name]) => !HOP_BY_HOP.test(name));
}

const headOf = (status: number, headers: readonly [string, string][]): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;

const RETRY_AFTER_S = 2;

const NO_LEADER = {
  ...problemDetails(503, 'no_leader', 'The leading daemon is not reachable from this one.'),
  remedy: 'Try again: another daemon takes over within seconds.',
};

/** Shown instead of the dashboard while no daemon leads; it loads again until one does. */
const noLeaderPage = (reloadAfterS: number): string =>
  plainPage(
    'No daemon leads at the moment',
    '<p>Another daemon takes over within seconds, and this page continues then. Notifications are received meanwhile.</p>',
    reloadAfterS,
  );

function respondNoLeader(request: IncomingMessage, response: ServerResponse): void {
  closeIfUnread(request, response);
  const headers = { 'retry-after': String(RETRY_AFTER_S), 'cache-control': 'no-store' };
  if (request.method !== 'GET' || !isPageView(request.headers.accept))
    return writeProblem(response, NO_LEADER, headers);
  const ofPage = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  response.writeHead(503, { ...headers, ...ofPage }).end(noLeaderPage(RETRY_AFTER_S));
}
