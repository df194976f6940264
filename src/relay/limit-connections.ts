import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { CountedLog } from './counted-log';
import type { Log } from './log';
import { networkOf } from './network/network-of';

interface Limits {
  total: number;
  /** Of those that come from one public network. */
  ofOneNetwork: number;
}

/** A connection takes some 15 KB while nothing is asked over it. */
const LIMITS: Limits = { total: 2_000, ofOneNetwork: 500 };

interface Parts {
  /** Whether many clients may stand behind an address, as behind a proxy's: those are bounded in all only. */
  isShared: (address: string) => boolean;
  /** Whether what is asked is answered whatever else is asked. */
  goesFirst: (request: IncomingMessage) => boolean;
  log: Log;
  limits?: Limits;
}

/**
 * Bounds the connections, in all and for each remote network. Beyond it those go first that are being closed, then those
 * over which nothing has been asked yet, the oldest ahead, then those that wait for another request, then those that wait for
 * their client to send a body or to read an answer, then those that are being answered, but for what goes first; where
 * nothing else is asked, the new one is ended. So whoever holds connections open keeps nobody else out.
 */
export class LimitConnections {
  private readonly open = new Map<Socket, string>();
  private readonly perNetwork = new Map<string, number>();
  /** Over which nothing has been asked, in the order in which they came. */
  private readonly unused = new Set<Socket>();
  private readonly latest = new WeakMap<Socket, IncomingMessage>();
  private readonly refused: CountedLog;
  private readonly limits: Limits;

  constructor(
    private readonly server: Server,
    private readonly parts: Parts,
  ) {
    this.refused = new CountedLog(parts.log);
    this.limits = parts.limits ?? LIMITS;
    server.on('connection', (socket: Socket) => this.take(socket));
    // By then whoever hands requests on by the path has taken the place of the other listeners.
    server.once('listening', () =>
      server.prependListener('request', (request) => {
        this.unused.delete(request.socket);
        this.latest.set(request.socket, request);
      }),
    );
  }

  /**
   * Browsers open connections in advance. Node takes one without a request for busy and waits a minute for it when the
   * server closes, so these are ended by hand; idle ones are ended by Node, and what is being answered is answered.
   */
  endUnused(): void {
    for (const socket of this.unused) socket.destroy();
  }

  private take(socket: Socket): void {
    this.unused.add(socket);
    // One that asked for an upgrade comes a second time.
    if (this.open.has(socket)) return;
    const address = socket.remoteAddress ?? '';
    const network = this.parts.isShared(address) ? '' : networkOf(address);
    this.open.set(socket, network);
    this.perNetwork.set(network, this.count(network) + 1);
    socket.once('close', () => this.forget(socket, network));
    if (network !== '' && this.count(network) > this.limits.ofOneNetwork) this.makeRoom(socket, network);
    else if (this.open.size > this.limits.total) this.makeRoom(socket, null);
  }

  /** @param network whose connections are too many; null: all are */
  private makeRoom(newcomer: Socket, network: string | null): void {
    const ended =
      this.leastNeeded(newcomer, network) ?? (this.endIdle() ? null : this.busy(network, newcomer));
    this.refused.warn(
      { remote: newcomer.remoteAddress, open: this.open.size },
      network === null ? 'too many connections' : 'too many connections from one network',
    );
    if (ended === null) return;
    // Its place is free at once; its event comes later.
    this.forget(ended, this.open.get(ended)!);
    ended.destroy();
  }

  /** What we have ended already and the client has not, then what was never used. */
  private leastNeeded(newcomer: Socket, network: string | null): Socket | null {
    const closing = this.firstOf(network, ({ writableEnded }) => writableEnded);
    if (closing !== null) return closing;
    for (const socket of this.unused)
      if (socket !== newcomer && (network === null || this.open.get(socket) === network)) return socket;
    return null;
  }

  private busy(network: string | null, newcomer: Socket): Socket {
    const replaceable = (socket: Socket) => {
      const request = this.latest.get(socket);
      return request !== undefined && !this.parts.goesFirst(request);
    };
    return (
      this.firstOf(network, (socket) => this.waitsForClient(socket)) ??
      this.firstOf(network, replaceable) ??
      newcomer
    );
  }

  /** A part of the body is not here yet, or there is more of the answer than the kernel takes. */
  private waitsForClient(socket: Socket): boolean {
    return socket.writableLength > 0 || this.latest.get(socket)?.complete === false;
  }

  private firstOf(network: string | null, matches: (socket: Socket) => boolean): Socket | null {
    for (const [socket, from] of this.open)
      if ((network === null || from === network) && matches(socket)) return socket;
    return null;
  }

  /** Whether there were any. */
  private endIdle(): boolean {
    this.server.closeIdleConnections();
    let ended = false;
    for (const [socket, network] of this.open) {
      if (!socket.destroyed) continue;
      this.forget(socket, network);
      ended = true;
    }
    return ended;
  }

  private forget(socket: Socket, network: string): void {
    this.unused.delete(socket);
    if (!this.open.delete(socket)) return;
    const left = this.count(network) - 1;
    if (left > 0) this.perNetwork.set(network, left);
    else this.perNetwork.delete(network);
  }

  private count(network: string): number {
    return this.perNetwork.get(network) ?? 0;
  }
}
