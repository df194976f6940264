import type { Server } from 'socket.io';

/** For the client to close the connection in turn (RFC 6455, 7.1.1). */
const CLOSE_TIMEOUT_MS = 5_000;

/** The parts of an engine.io connection that are used here. */
interface Connection {
  request: { websocket?: { terminate(): void } };
  on(event: 'close', listener: () => void): void;
}

/** Ends the TCP connection of a client that ignores the close of its WebSocket, and would keep counting as open. */
export function endClosedConnections(server: Server): void {
  server.engine.on('connection', (connection: Connection) => {
    const { websocket } = connection.request;
    connection.on('close', () => setTimeout(() => websocket?.terminate(), CLOSE_TIMEOUT_MS).unref());
  });
}
