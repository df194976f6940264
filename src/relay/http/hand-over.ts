import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a client may take to use an open connection once more. */
const QUIET_MS = 1_000;
const MAX_WAIT_MS = 5_000;
const POLL_MS = 50;

/**
 * Ends a server on a socket that the service manager keeps open: new connections wait in its queue for the next daemon.
 * Create it once the server listens.
 */
export class HandOver {
  private openRequests = 0;
  private lastRequestAt = 0;
  private isEnding = false;

  constructor(private readonly server: Server) {
    server.prependListener('request', (_, response: ServerResponse) => this.record(response));
  }

  /**
   * Accepts no more connections, and closes each open one with its next response, so that no request meets a closed
   * connection. Resolves once every request is answered and none has arrived for a second.
   */
  async run(): Promise<void> {
    this.isEnding = true;
    const startedAt = performance.now();
    this.lastRequestAt = startedAt;
    let isClosed = false;
    void once(this.server, 'close').then(() => (isClosed = true));
    // The method of HTTP servers would close idle connections at once, on which a request may be arriving.
    NetServer.prototype.close.call(this.server);
    while (!isClosed && !this.isQuiet && performance.now() - startedAt < MAX_WAIT_MS) await pause(POLL_MS);
  }

  private get isQuiet(): boolean {
    return this.openRequests === 0 && performance.now() - this.lastRequestAt >= QUIET_MS;
  }

  private record(response: ServerResponse): void {
    this.openRequests += 1;
    this.lastRequestAt = performance.now();
    if (this.isEnding) response.shouldKeepAlive = false;
    response.once('close', () => (this.openRequests -= 1));
  }
}
