import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 50;
/** How long a client may take to use an open connection once more: one second. */
const QUIET_POLLS = 20;
/** Five seconds. */
const MAX_POLLS = 100;
/** So that a flood of connections does not delay the end. */
const MAX_ACCEPTING_TURNS = 1_000;

/**
 * Ends a server whose clients continue at another one: at the next daemon, for which new connections wait in the queue
 * of a socket that the service manager keeps open, or at the next application of this daemon. Create it once the server
 * listens: it waits for the requests that arrive from then on. The close of the application waits for those before.
 */
export class HandOver {
  private openRequests = 0;
  /** Without a request, up to now. */
  private quietPolls = 0;
  private isEnding = false;
  private isClosed = false;

  /** @param listener what accepts the connections of the server; null if another server gets them from now on */
  constructor(
    server: Server,
    private readonly listener: NetServer | null = server,
  ) {
    server.prependListener('request', (_, response: ServerResponse) => this.record(response));
  }

  /**
   * Accepts no more connections, and closes each open one with its next response, so that no request meets a closed
   * connection. Resolves once every request is answered and none has arrived for a second.
   */
  async run(): Promise<void> {
    this.isEnding = true;
    this.quietPolls = 0;
    this.listener?.once('close', () => (this.isClosed = true));
    if (this.listener !== null) {
      await acceptWaiting(this.listener);
      // The method of HTTP servers would close idle connections at once, on which a request may be arriving.
      NetServer.prototype.close.call(this.listener);
    }
    // Polls are counted, not time: after a stall a timer may run before the requests that arrived meanwhile are read.
    for (let poll = 0; poll < MAX_POLLS && !this.isClosed && this.quietPolls < QUIET_POLLS; poll += 1) {
      await pause(POLL_MS);
      this.quietPolls = this.openRequests === 0 ? this.quietPolls + 1 : 0;
    }
  }

  private record(response: ServerResponse): void {
    this.openRequests += 1;
    this.quietPolls = 0;
    if (this.isEnding) response.shouldKeepAlive = false;
    response.once('close', () => (this.openRequests -= 1));
  }
}

/** Connections in the kernel's queue would be reset when the listener closes; a turn of the event loop accepts one. */
async function acceptWaiting(listener: NetServer): Promise<void> {
  let quietTurns = 0;
  const onConnection = () => (quietTurns = 0);
  listener.on('connection', onConnection);
  // In the turn in progress, connections may have been accepted already.
  for (let turn = 0; turn < MAX_ACCEPTING_TURNS && quietTurns < 2; turn += 1) {
    quietTurns += 1;
    await nextTurn();
  }
  listener.off('connection', onConnection);
}
