import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A load balancer that passes connections on as they are, WebSockets included. */
export class TcpBalancer {
  /** Where connections lead, such as `http://127.0.0.1:4000`. */
  origin: string | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TcpBalancer> {
    const server = createServer();
    const balancer = new TcpBalancer(server);
    server.on('connection', (socket) => balancer.pass(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private pass(socket: Socket): void {
    if (this.origin === null) return void socket.destroy();
    const onward = connect(Number(new URL(this.origin).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
