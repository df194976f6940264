import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Passes TCP connections on to an address, and can stall: then nothing passes, and no end learns of it. */
export class NetworkLink {
  private readonly ends = new Set<Socket>();
  /** Connections that were accepted while it stalled. */
  private waiting: Socket[] = [];
  private isStalled = false;

  private constructor(
    private readonly server: Server,
    private leadsTo: URL,
  ) {
    server.on('connection', (socket) => {
      this.keep(socket);
      if (this.isStalled) this.waiting.push(socket.pause());
      else this.pass(socket);
    });
  }

  /** @param leadsTo any URL, with a port */
  static async start(leadsTo: string): Promise<NetworkLink> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new NetworkLink(server, new URL(leadsTo));
  }

  /** The same URL, through this link. */
  get url(): string {
    const url = new URL(this.leadsTo);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Of the connections that it has made: the ports at this end. */
  get ports(): number[] {
    const port = Number(this.leadsTo.port);
    return [...this.ends].flatMap((end) => (end.remotePort === port ? [end.localPort!] : []));
  }

  stall(): void {
    this.isStalled = true;
    for (const end of this.ends) end.pause();
  }

  /** What was sent meanwhile arrives now. */
  resume(): void {
    this.isStalled = false;
    for (const end of this.ends) end.resume();
    for (const socket of this.waiting.splice(0)) this.pass(socket);
  }

  /** Leads to another address from now on, as one that moves to another machine: all connections break. */
  leadTo(url: string): void {
    this.leadsTo = new URL(url);
    for (const end of this.ends) end.destroy();
  }

  async close(): Promise<void> {
    this.server.close();
    for (const end of this.ends) end.destroy();
    await once(this.server, 'close');
  }

  private pass(socket: Socket): void {
    const { hostname: host, port } = this.leadsTo;
    const onward = this.keep(connect({ host, port: Number(port), allowHalfOpen: true }));
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on('data', (chunk) => to.write(chunk));
      from.on('end', () => to.end());
      from.on('close', () => to.destroySoon());
    }
  }

  private keep(socket: Socket): Socket {
    this.ends.add(socket);
    socket.on('error', () => socket.destroy());
    return socket.on('close', () => this.ends.delete(socket));
  }
}
