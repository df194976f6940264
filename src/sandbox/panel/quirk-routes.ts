import type { FastifyInstance } from 'fastify';
import { faultChanges, readingChanges } from '../quirks/quirk-changes';
import type { Faults } from '../quirks/faults';
import { parseRequest } from '../parse-request';
import type { LiveReadings } from '../quirks/readings';

/** The settings that these routes change. */
export interface QuirkParts {
  readings: LiveReadings;
  faults: Faults;
}

/** Readings and faults as JSON. `GET` returns all, `PATCH` changes some and returns all. */
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
}
