import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseRequest } from '../parse-request';
import type { Traffic } from '../webhooks/traffic';

const number = z.number('Send a number.');
const count = z.int('Send a whole number.').min(0, 'Send 0 or more.').max(10_000, 'Send at most 10000.');

const trafficChanges = z
  .strictObject({
    events_per_second: number.min(0, 'Send 0 or more.').max(10_000, 'Send at most 10000.'),
    is_paused: z.boolean('Send true or false.'),
    burst_events: count,
    burst_every_seconds: number.min(1, 'Send 1 or more.').max(86_400, 'Send at most 86400.'),
    /** Not a setting: sends this many events now, even while paused. */
    burst: count,
  })
  .partial();

/** Traffic settings as JSON. `GET` returns all, `PATCH` changes some and returns all. */
export function trafficRoutes(app: FastifyInstance, { traffic }: { traffic: Traffic }): void {
  app.get('/panel/traffic', () => describe(traffic));
  app.patch('/panel/traffic', (request) => {
    const changes = parseRequest(trafficChanges, request.body);
    const { eventsPerSecond, isPaused, burstEvents, burstEverySeconds } = traffic.current;
    traffic.change({
      eventsPerSecond: changes.events_per_second ?? eventsPerSecond,
      isPaused: changes.is_paused ?? isPaused,
      burstEvents: changes.burst_events ?? burstEvents,
      burstEverySeconds: changes.burst_every_seconds ?? burstEverySeconds,
    });
    traffic.burst(changes.burst ?? 0);
    return describe(traffic);
  });
}

function describe({ current: now }: Traffic): object {
  return {
    events_per_second: now.eventsPerSecond,
    is_paused: now.isPaused,
    burst_events: now.burstEvents,
    burst_every_seconds: now.burstEverySeconds,
  };
}
