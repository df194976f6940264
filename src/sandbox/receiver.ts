import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Parts } from './parts';
import type { Quirks } from './quirks/quirks';

/** A service that receives deliveries, to try a hub with: no part of the emulated Co-Pilot. */
export function receiverRoute(app: FastifyInstance, { quirks }: Parts): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => void body.resume().once('end', () => done(null)));
  app.post('/receiver', (_request, reply) => {
    reply.hijack();
    respondAsReceiver(reply.raw, quirks);
  });
}

/** Responds with 200, or as the faults of the receiver say. */
export function respondAsReceiver(response: ServerResponse, quirks: Quirks): void {
  switch (quirks.takeFirstFault(['receiver_500', 'receiver_timeout', 'receiver_410'])) {
    case 'receiver_timeout':
      return;
    case 'receiver_500':
      response.statusCode = 500;
      break;
    case 'receiver_410':
      response.statusCode = 410;
      break;
    case undefined:
  }
  response.end();
}
