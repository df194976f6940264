import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RateLimitedLog } from '../ground/rate-limited-log';
import type { Log } from '../ground/log';
import { MAX_OPEN_FILES } from '../ground/machine-faults';
import type { Clock } from '../ground/clock';
import { isPublic, networkOf } from '../network/network-of';
import { ClientAddress } from '../settings/client-address';
import type { Settings } from '../settings/settings';
import { NewConnections } from './new-connections';

interface Limits {
  total: number;
  /** From one public network. */
  perNetwork: number;
}

/** An idle connection uses about 15 KB of memory. */
const MAX_CONNECTIONS = 2_000;

/** For what the daemon itself opens: files, threads, and connections to targets. */
const RESERVED_FILES = Math.max(80, Math.min(512, MAX_OPEN_FILES / 4));

const LIMITS: Limits = {
  total: Math.max(8, Math.min(MAX_CONNECTIONS, Math.floor(MAX_OPEN_FILES - RESERVED_FILES))),
  perNetwork: 500,
};

interface Connection {
  /** Which has accepted it. */
  server: Server;
  /** Empty if many clients may share the address. */
  network: string;
  /** The last request; null before the first. */
  request: IncomingMessage | null;
  /** The response to it; null before the first request and after an upgrade. */
  response: ServerResponse | null;
}

interface ConnectionLimitOptions {
  /** Whether many clients may share an address, such as a proxy's: only the total limit applies to these. */
  isShared: (address: string) => boolean;
  /** Whether the connection of a request must not be closed to make room. */
  hasPriority: (request: IncomingMessage) => boolean;
  clock: Clock;
  log: Log;
  limits?: Limits;
}

/**
 * Limits the connections, in total and for each remote network, so that clients that hold connections open cannot keep
 * others out. At the limit, a connection is closed in this order: one that is already closing; the oldest that waits
 * for its client to send a request or a body, or to read a response; idle keep-alive connections; the oldest with a
 * request without priority; the new one. When one server replaces another, both share it.
 */
export class ConnectionLimit {
  /** Ordered by their last request, or by when they were opened. */
  private readonly connections = new Map<Socket, Connection>();
  private readonly countPerNetwork = new Map<string, number>();
  private readonly servers = new Set<Server>();
  private readonly newConnections: NewConnections;
  private readonly limitedLog: RateLimitedLog;
  private readonly limits: Limits;

  constructor(private readonly options: ConnectionLimitOptions) {
    this.newConnections = new NewConnections(options.clock);
    this.limitedLog = new RateLimitedLog(options.log);
    this.limits = options.limits ?? LIMITS;
    if (LIMITS.total < MAX_CONNECTIONS)
      options.log.warn(
        { max_open_files: MAX_OPEN_FILES, max_connections: LIMITS.total },
        'this process may open few files: raise the limit (LimitNOFILE= in the systemd unit, ulimit -n)',
      );
  }

  /** Of a daemon with these settings, where notifications have priority over all other requests. */
  static with({ trustedProxies }: Settings, clock: Clock, log: Log): ConnectionLimit {
    const proxies = new ClientAddress(trustedProxies);
    const isShared = (address: string) => !isPublic(address) || proxies.isTrusted(address);
    return new ConnectionLimit({ isShared, hasPriority: isNotification, clock, log });
  }

  attach(server: Server): void {
    this.servers.add(server);
    server.once('close', () => this.servers.delete(server));
    server.on('connection', (socket: Socket) => this.add(socket, server));
    // By then `serveInTurn` and the intake have replaced the other listeners.
    server.once('listening', () => {
      server.prependListener('request', (request, response) => this.recordRequest(request, response));
      server.prependListener('upgrade', (request) => this.recordRequest(request, null));
    });
  }

  /**
   * Closes connections without a request, which browsers open in advance. When the server closes, Node treats them as
   * active and waits up to a minute for them; it closes idle ones itself and completes responses.
   */
  closeUnused(server: Server): void {
    for (const [socket, connection] of this.connections)
      if (connection.server === server && connection.response === null) socket.destroy();
  }

  /** Lets the network of a client that has proven who it is open connections at any rate for a while. */
  trust(socket: Socket): void {
    const network = this.connections.get(socket)?.network ?? '';
    if (network !== '') this.newConnections.trust(network);
  }

  private add(socket: Socket, server: Server): void {
    // `ignoreUpgrades` emits the same socket a second time.
    if (this.connections.has(socket)) return;
    const address = socket.remoteAddress ?? '';
    const network = this.options.isShared(address) ? '' : networkOf(address);
    if (network !== '' && !this.newConnections.admits(network)) {
      this.limitedLog.warn({ remote: address }, 'too many new connections from one network');
      return void socket.destroy();
    }
    this.connections.set(socket, { server, network, request: null, response: null });
    this.countPerNetwork.set(network, this.count(network) + 1);
    socket.once('close', () => this.forget(socket));
    if (network !== '' && this.count(network) > this.limits.perNetwork) this.makeRoom(socket, network);
    else if (this.connections.size > this.limits.total) this.makeRoom(socket, null);
  }

  private recordRequest(request: IncomingMessage, response: ServerResponse | null): void {
    const { socket } = request;
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    connection.request = request;
    connection.response = response;
    this.connections.delete(socket);
    this.connections.set(socket, connection);
  }

  /** @param network the one above its limit; null: the total is above its limit */
  private makeRoom(added: Socket, network: string | null): void {
    const chosen = this.chooseConnectionToClose(added, network);
    this.limitedLog.warn(
      { remote: added.remoteAddress, open: this.connections.size },
      network === null ? 'too many connections' : 'too many connections from one network',
    );
    if (chosen === null) return;
    // Removed now, because its close event comes later.
    this.forget(chosen);
    chosen.destroy();
  }

  /** Null if closing idle connections was enough. */
  private chooseConnectionToClose(added: Socket, network: string | null): Socket | null {
    let oldest: Socket | null = null;
    for (const [socket, connection] of this.connections) {
      if (socket === added || (network ?? connection.network) !== connection.network) continue;
      if (socket.writableEnded) return socket;
      oldest ??= this.isReplaceable(socket, connection) ? socket : null;
    }
    if (oldest !== null && waitsForClient(oldest, this.connections.get(oldest)!)) return oldest;
    return this.closeIdle() ? null : (oldest ?? added);
  }

  private isReplaceable(socket: Socket, connection: Connection): boolean {
    if (waitsForClient(socket, connection)) return true;
    const { request, response } = connection;
    return response !== null && !response.writableFinished && !this.options.hasPriority(request!);
  }

  /** Returns whether there were any. */
  private closeIdle(): boolean {
    for (const server of this.servers) server.closeIdleConnections();
    let closed = false;
    for (const socket of this.connections.keys()) {
      if (!socket.destroyed) continue;
      this.forget(socket);
      closed = true;
    }
    return closed;
  }

  private forget(socket: Socket): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    this.connections.delete(socket);
    const { network } = connection;
    const remaining = this.count(network) - 1;
    if (remaining > 0) this.countPerNetwork.set(network, remaining);
    else this.countPerNetwork.delete(network);
  }

  private count(network: string): number {
    return this.countPerNetwork.get(network) ?? 0;
  }
}

const isNotification = ({ url = '' }: IncomingMessage) => url.startsWith('/hooks/');

/** There is no request yet, its body is incomplete, or the client does not read the response. */
function waitsForClient({ writableLength }: Socket, { request, response }: Connection): boolean {
  if (request === null) return true;
  // Without a response it is a live socket, which has a separate limit.
  return response !== null && (!request.complete || writableLength > 0);
}
