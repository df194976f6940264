import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Browsers open connections in advance. Node takes one without a request for busy and waits a minute for it when the
 * server closes, so these are ended by hand; idle ones are ended by Node, and what is being answered is answered.
 */
export function endUnusedConnections(fastify: FastifyInstance): void {
  const unused = new Set<Socket>();
  function forget(this: Socket): void {
    unused.delete(this);
  }
  fastify.server.on('connection', (socket) => {
    unused.add(socket);
    // One that asked for an upgrade comes a second time.
    socket.off('close', forget).once('close', forget);
  });
  fastify.server.on('request', ({ socket }) => unused.delete(socket));
  fastify.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    done();
  });
}
