import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Passes all requests to `intercept`, as socket.io does, before the framework's routing, hooks and body parsing, which
 * cost more than some responses. Call it after adding all other listeners: `next` passes a request on to them.
 */
export function interceptRequests(
  server: Server,
  intercept: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) =>
    intercept(request, response, () => {
      for (const listener of others) listener.call(server, request, response);
    }),
  );
}
