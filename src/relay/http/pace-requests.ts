import type { FastifyInstance } from 'fastify';

/** Together they take some milliseconds of the thread that answers notifications too. */
const BEGUN_IN_A_TURN = 4;

/**
 * Lets only so many requests begin in one turn of the event loop, in the order in which they came: of however many, sent
 * over however many connections, a notification waits for a few.
 */
export function paceRequests(fastify: FastifyInstance): void {
  const waiting: (() => void)[] = [];
  let begun = 0;
  let turnEnds = false;

  const endTurn = () => {
    const next = waiting.splice(0, BEGUN_IN_A_TURN);
    begun = next.length;
    turnEnds = begun > 0;
    if (turnEnds) setImmediate(endTurn);
    for (const begin of next) begin();
  };

  fastify.addHook('onRequest', (_request, _reply, done) => {
    if (!turnEnds) {
      turnEnds = true;
      setImmediate(endTurn);
    }
    if (begun === BEGUN_IN_A_TURN || waiting.length > 0) {
      waiting.push(done);
      return;
    }
    begun += 1;
    done();
  });
}
