import type { FastifyInstance } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { SalesFloor } from '../emission/sales-floor';
import type { Grants } from '../oauth/grants';
import type { LiveReadings } from '../readings/readings';
import { sendList } from '../readings/send-list';
import { requireScope } from './authenticate-bearer';

/** `GET /v1/deals` (document, 4). Its answer is not shown: all deals, in the shape of the list of webhooks. */
export function dealRoutes(
  app: FastifyInstance,
  { grants, floor, readings }: { grants: Grants; floor: SalesFloor; readings: LiveReadings },
): void {
  app.addHook('onRequest', requireScope(grants, 'deals'));
  app.get(ENDPOINTS.deals, (request, reply) =>
    sendList(request, reply, { name: 'deals', records: floor.deals.all() }, readings),
  );
}
