import type { FastifyInstance } from 'fastify';
import { faultChanges, quirkChanges } from '../quirks/quirk-changes';
import type { Quirks } from '../quirks/quirks';
import { parseRequest } from '../parse-request';

/** What these routes depend on. */
export interface QuirkDependencies {
  quirks: Quirks;
}

/**
 * Quirks as JSON. `GET` returns all, `PATCH` changes some and returns all. `/panel/faults` is limited to the faults,
 * the only quirks that the daemon's dashboard may change.
 */
export function quirkRoutes(app: FastifyInstance, { quirks }: QuirkDependencies): void {
  app.get('/panel/quirks', () => quirks.current);
  app.patch('/panel/quirks', (request) => {
    quirks.change(parseRequest(quirkChanges, request.body));
    return quirks.current;
  });

  app.get('/panel/faults', () => quirks.faults);
  app.patch('/panel/faults', (request) => {
    quirks.change(parseRequest(faultChanges, request.body));
    return quirks.faults;
  });
}
