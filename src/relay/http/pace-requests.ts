import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Together these take a few milliseconds of the thread that also answers notifications. */
const REQUESTS_PER_TURN = 4;

/** Limits how many requests start in one turn of the event loop: a notification waits for only a few of them. */
export function paceRequests(fastify: FastifyInstance): void {
  const queued: { socket: Socket; start: () => void }[] = [];
  let started = 0;
  let isTurnScheduled = false;

  const startNext = () => {
    const next: (() => void)[] = [];
    // Nobody waits for the response on a closed connection.
    while (next.length < REQUESTS_PER_TURN && queued.length > 0) {
      const { socket, start } = queued.shift()!;
      if (!socket.destroyed) next.push(start);
    }
    started = next.length;
    isTurnScheduled = started > 0;
    if (isTurnScheduled) setImmediate(startNext);
    for (const start of next) start();
  };

  fastify.addHook('onRequest', ({ socket }, _reply, done) => {
    if (!isTurnScheduled) {
      isTurnScheduled = true;
      setImmediate(startNext);
    }
    if (started === REQUESTS_PER_TURN || queued.length > 0) {
      queued.push({ socket, start: done });
      return;
    }
    started += 1;
    done();
  });
}
