import type { Server } from 'socket.io';
import type { Clock } from '../ground/clock';

/** A client sends its login, the last `seq` it received, and a pong from time to time. */
const MAX_PACKETS_PER_SECOND = 50;
const WINDOW_MS = 1_000;

/** The parts of an engine.io connection that are used here. */
interface Connection {
  request: { websocket?: { removeAllListeners(event: 'message'): void; terminate(): void } };
  on(event: 'packet', listener: () => void): void;
}

/**
 * Closes connections that send more packets than any client needs: each takes the main thread about 20 µs.
 */
export function limitPackets(server: Server, clock: Clock): void {
  server.engine.on('connection', (connection: Connection) => {
    let windowStart = 0;
    let count = 0;
    connection.on('packet', () => {
      const now = clock.monotonic();
      if (now - windowStart > WINDOW_MS) {
        windowStart = now;
        count = 0;
      }
      count += 1;
      if (count <= MAX_PACKETS_PER_SECOND) return;
      const { websocket } = connection.request;
      // Thousands more may be buffered already, and would still be processed.
      websocket?.removeAllListeners('message');
      websocket?.terminate();
    });
  });
}
