import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseRequest } from '../parse-request';
import type { Parts } from '../parts';
import { faultChanges, quirkChanges } from '../quirks/quirk-changes';

const number = z.number('Send a number.');
const count = z.int('Send a whole number.').min(0, 'Send 0 or more.').max(10_000, 'Send at most 10000.');

const trafficChanges = z.strictObject({
  events_per_second: number.min(0, 'Send 0 or more.').max(10_000, 'Send at most 10000.').exactOptional(),
  is_paused: z.boolean('Send true or false.').exactOptional(),
  burst_events: count.exactOptional(),
  burst_every_seconds: number.min(1, 'Send 1 or more.').max(86_400, 'Send at most 86400.').exactOptional(),
  /** Not a setting: sends this many events now, even while paused. */
  burst: count.default(0),
});

/**
 * Traffic and quirks as JSON. `GET` returns all settings of a group, `PATCH` changes some and returns all.
 * `/panel/faults` is limited to the faults, the only quirks that the daemon's dashboard may change.
 */
export function quirkRoutes(app: FastifyInstance, { quirks, traffic }: Parts): void {
  app.get('/panel/traffic', () => traffic.current);
  app.patch('/panel/traffic', (request) => {
    const { burst, ...changes } = parseRequest(trafficChanges, request.body);
    traffic.change(changes);
    traffic.burst(burst);
    return traffic.current;
  });

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
