import type { FastifyInstance } from 'fastify';
import { faultChanges } from '../faults/fault-changes';
import type { Faults } from '../faults/faults';
import { parseRequest } from '../parse-request';
import { readingChanges } from './reading-changes';
import type { LiveReadings } from './readings';
import { SWITCHES_SCRIPT } from './switches-script';

/** What the switches turn. */
export interface SwitchParts {
  readings: LiveReadings;
  faults: Faults;
}

/** The switches as JSON: all with `GET`, some changed with `PATCH`, which answers all. */
export function switchRoutes(app: FastifyInstance, { readings, faults }: SwitchParts): void {
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
