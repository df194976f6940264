import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Hands the requests below `prefix` to `receive`, ahead of everything else that listens to the server (as socket.io does
 * for its own). A framework's routing, hooks and body parsing cost as much again as all that intake does itself.
 */
export function divertRequests(server: Server, prefix: string, receive: Listener): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.url?.startsWith(prefix) === true) receive(request, response);
    else for (const listener of others) listener.call(server, request, response);
  });
}
