import type { FastifyInstance } from 'fastify';

/** Together these take a few milliseconds of the thread that also answers notifications. */
const REQUESTS_PER_TURN = 4;

/**
 * Limits how many requests start in one turn of the event loop, in order of arrival: however many arrive, a
 * notification waits for only a few of them.
 */
export function paceRequests(fastify: FastifyInstance): void {
  const queued: (() => void)[] = [];
  let started = 0;
  let isTurnScheduled = false;

  const startNext = () => {
    const next = queued.splice(0, REQUESTS_PER_TURN);
    started = next.length;
    isTurnScheduled = started > 0;
    if (isTurnScheduled) setImmediate(startNext);
    for (const start of next) start();
  };

  fastify.addHook('onRequest', (_request, _reply, done) => {
    if (!isTurnScheduled) {
      isTurnScheduled = true;
      setImmediate(startNext);
    }
    if (started === REQUESTS_PER_TURN || queued.length > 0) {
      queued.push(done);
      return;
    }
    started += 1;
    done();
  });
}
