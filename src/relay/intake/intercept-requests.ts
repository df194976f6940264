import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Passes requests below `prefix` to `receive` instead of the other listeners, as socket.io does.
 * The framework's routing, hooks and body parsing would double the cost of intake.
 */
export function interceptRequests(server: Server, prefix: string, receive: Listener): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.url?.startsWith(prefix) === true) receive(request, response);
    else for (const listener of others) listener.call(server, request, response);
  });
}
