import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RepeatLimitedLog } from '../ground/repeat-limited-log';
import type { Log } from '../ground/log';
import { networkOf } from '../network/network-of';

interface Limits {
  total: number;
  /** Of those that come from one public network. */
  ofOneNetwork: number;
}

/** A connection takes some 15 KB while nothing is asked over it. */
const LIMITS: Limits = { total: 2_000, ofOneNetwork: 500 };

interface Connection {
  /** Empty where many may stand behind it. */
  network: string;
  /** What was asked last; null where nothing was. */
  request: IncomingMessage | null;
  /** What answers it; null where nothing was asked, and after an upgrade. */
  response: ServerResponse | null;
}

interface Parts {
  /** Whether many clients may stand behind an address, as behind a proxy's: those are bounded in all only. */
  isShared: (address: string) => boolean;
  /** Whether what is asked is answered whatever else is asked. */
  goesFirst: (request: IncomingMessage) => boolean;
  log: Log;
  limits?: Limits;
}

/**
 * Bounds the connections, in all and for each remote network. Beyond it those go first that are being closed, then the oldest
 * that waits for its client to ask, to send a body or to read an answer. Where one is being answered for longer, those go
 * first that are kept for another request, then this one, but for what goes first; where nothing else is asked, the new one
 * is ended. So whoever holds connections open keeps nobody else out.
 */
export class LimitConnections {
  /** In the order in which they came or were last asked over. */
  private readonly open = new Map<Socket, Connection>();
  private readonly perNetwork = new Map<string, number>();
  private readonly refused: RepeatLimitedLog;
  private readonly limits: Limits;

  constructor(
    private readonly server: Server,
    private readonly parts: Parts,
  ) {
    this.refused = new RepeatLimitedLog(parts.log);
    this.limits = parts.limits ?? LIMITS;
    server.on('connection', (socket: Socket) => this.take(socket));
    // By then whoever hands requests on by the path has taken the place of the other listeners.
    server.once('listening', () => {
      server.prependListener('request', (request, response) => this.use(request, response));
      server.prependListener('upgrade', (request) => this.use(request, null));
    });
  }

  /**
   * Browsers open connections in advance. Node takes one without a request for busy and waits a minute for it when the
   * server closes, so these are ended by hand; idle ones are ended by Node, and what is being answered is answered.
   */
  endUnused(): void {
    for (const [socket, { response }] of this.open) if (response === null) socket.destroy();
  }

  private take(socket: Socket): void {
    // One that asked for an upgrade comes a second time.
    if (this.open.has(socket)) return;
    const address = socket.remoteAddress ?? '';
    const network = this.parts.isShared(address) ? '' : networkOf(address);
    this.open.set(socket, { network, request: null, response: null });
    this.perNetwork.set(network, this.count(network) + 1);
    socket.once('close', () => this.forget(socket));
    if (network !== '' && this.count(network) > this.limits.ofOneNetwork) this.makeRoom(socket, network);
    else if (this.open.size > this.limits.total) this.makeRoom(socket, null);
  }

  private use(request: IncomingMessage, response: ServerResponse | null): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    connection.request = request;
    connection.response = response;
    this.open.delete(socket);
    this.open.set(socket, connection);
  }

  /** @param network whose connections are too many; null: all are */
  private makeRoom(newcomer: Socket, network: string | null): void {
    const ended = this.leastNeeded(newcomer, network);
    this.refused.warn(
      { remote: newcomer.remoteAddress, open: this.open.size },
      network === null ? 'too many connections' : 'too many connections from one network',
    );
    if (ended === null) return;
    // Its place is free at once; its event comes later.
    this.forget(ended);
    ended.destroy();
  }

  /** Null where room was made. */
  private leastNeeded(newcomer: Socket, network: string | null): Socket | null {
    let oldest: Socket | null = null;
    for (const [socket, connection] of this.open) {
      if (socket === newcomer || (network ?? connection.network) !== connection.network) continue;
      if (socket.writableEnded) return socket;
      oldest ??= this.isReplaceable(socket, connection) ? socket : null;
    }
    if (oldest !== null && waitsForClient(oldest, this.open.get(oldest)!)) return oldest;
    return this.endIdle() ? null : (oldest ?? newcomer);
  }

  private isReplaceable(socket: Socket, connection: Connection): boolean {
    if (waitsForClient(socket, connection)) return true;
    const { request, response } = connection;
    return response !== null && !response.writableFinished && !this.parts.goesFirst(request!);
  }

  /** Whether there were any. */
  private endIdle(): boolean {
    this.server.closeIdleConnections();
    let ended = false;
    for (const socket of this.open.keys()) {
      if (!socket.destroyed) continue;
      this.forget(socket);
      ended = true;
    }
    return ended;
  }

  private forget(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    this.open.delete(socket);
    const { network } = connection;
    const left = this.count(network) - 1;
    if (left > 0) this.perNetwork.set(network, left);
    else this.perNetwork.delete(network);
  }

  private count(network: string): number {
    return this.perNetwork.get(network) ?? 0;
  }
}

/** Nothing is asked, a part of the body is not here yet, or there is more of the answer than the kernel takes. */
function waitsForClient({ writableLength }: Socket, { request, response }: Connection): boolean {
  if (request === null) return true;
  // A live socket is not asked over, and is bounded elsewhere.
  return response !== null && (!request.complete || writableLength > 0);
}
