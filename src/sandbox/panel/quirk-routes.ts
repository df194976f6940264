import type { FastifyInstance } from 'fastify';
import { faultChanges, readingChanges } from '../quirks/quirk-changes';
import type { Faults } from '../quirks/faults';
import { parseRequest } from '../parse-request';
import type { LiveReadings } from '../quirks/readings';
import { SWITCHES_SCRIPT } from './quirks-script';

/** What the switches turn. */
export interface QuirkParts {
  readings: LiveReadings;
  faults: Faults;
}

/** The switches as JSON: all with `GET`, some changed with `PATCH`, which answers all. */
export function quirkRoutes(app: FastifyInstance, { readings, faults }: QuirkParts): void {
  app.get('/panel/readings', () => readings.now);
  app.patch('/panel/readings', (request) => {
    readings.change(parseRequest(readingChanges, request.body));
    return readings.now;
  });

  app.get('/panel/faults', () => faults.now);
  app.patch('/panel/faults', (request) => {
    faults.change(parseRequest(faultChanges, request.body));
    return faults.now;
  });

  app.get('/panel/switches.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(SWITCHES_SCRIPT),
  );
}
