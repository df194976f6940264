import type { Server } from 'socket.io';
import type { Clock } from '../ground/clock';

/** A client says who it is, what it saw last, and answers a ping now and then. */
const MOST_A_SECOND = 50;
const SECOND_MS = 1_000;

/** What engine.io keeps of a connection. */
interface Connection {
  request: { websocket?: { removeAllListeners(event: 'message'): void; terminate(): void } };
  on(event: 'packet', listener: () => void): void;
}

/** Ends connections over which more packets come than any client sends: each takes the thread some 20 µs. */
export function limitPackets(server: Server, clock: Clock): void {
  server.engine.on('connection', (connection: Connection) => {
    let since = 0;
    let count = 0;
    connection.on('packet', () => {
      const now = clock.monotonic();
      if (now - since > SECOND_MS) {
        since = now;
        count = 0;
      }
      count += 1;
      if (count <= MOST_A_SECOND) return;
      const { websocket } = connection.request;
      // Thousands more may be read already.
      websocket?.removeAllListeners('message');
      websocket?.terminate();
    });
  });
}
