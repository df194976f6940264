import type { Server as HttpServer } from 'node:http';
import { once } from 'node:events';
import { createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from 'node:net';

/** Listens in place of an application, so that another one can take over without a moment in which nobody listens. */
export class ConnectionFront {
  /** As Node creates its HTTP servers. */
  readonly server: Server = createServer({ allowHalfOpen: true, noDelay: true });
  private current: HttpServer;

  constructor(first: HttpServer) {
    this.current = first;
    this.server.on('connection', (socket: Socket) => this.current.emit('connection', socket));
  }

  async listen(options: ListenOptions): Promise<AddressInfo> {
    this.server.listen(options);
    await once(this.server, 'listening');
    return this.server.address() as AddressInfo;
  }

  /** New connections, and requests on open ones, go to this server; the previous one finishes its responses. */
  use(server: HttpServer): void {
    const previous = this.current;
    if (server === previous) return;
    this.current = server;
    for (const event of ['request', 'upgrade']) {
      previous.removeAllListeners(event);
      previous.on(event, (...parts: unknown[]) => this.current.emit(event, ...parts));
    }
  }
}
