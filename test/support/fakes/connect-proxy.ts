import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy that only opens tunnels (CONNECT). Every tunnel leads to a port of this machine, whatever address was asked for. */
export class ConnectProxy {
  /** The addresses asked for so far. */
  readonly authorities: string[] = [];
  /** The values of `Proxy-Authorization` so far. */
  readonly authorizations: (string | undefined)[] = [];
  /** Where tunnels lead. */
  leadsTo = 0;
  /** Refuses tunnels with this status. */
  refuseWith: number | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connect', (request, client: Socket) => {
      this.authorities.push(request.url ?? '');
      this.authorizations.push(request.headers['proxy-authorization']);
      this.keep(client);
      if (this.refuseWith !== null) {
        client.end(`HTTP/1.1 ${this.refuseWith} No\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      const onward = this.keep(connect(this.leadsTo, '127.0.0.1'));
      onward.once('connect', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(client).pipe(onward);
      });
    });
  }

  static async start(): Promise<ConnectProxy> {
    const server = createServer((_, response) => response.writeHead(405).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ConnectProxy(server);
  }

  /** With these credentials, as in `HTTPS_PROXY`. */
  url(credentials = ''): string {
    return `http://${credentials}127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    return socket.on('close', () => this.sockets.delete(socket));
  }
}
