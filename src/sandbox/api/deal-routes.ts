import type { FastifyInstance } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { SalesFloor } from '../emission/sales-floor';
import type { Grants } from '../oauth/grants';
import { requireScope } from './authenticate-bearer';

/** `GET /v1/deals` (document, 4). Its answer is not shown: all deals, in the shape of the list of webhooks. */
export function dealRoutes(
  app: FastifyInstance,
  { grants, floor }: { grants: Grants; floor: SalesFloor },
): void {
  app.addHook('onRequest', requireScope(grants, 'deals'));
  app.get(ENDPOINTS.deals, (_request, reply) => reply.send({ data: floor.listDeals() }));
}
