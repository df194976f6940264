import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { SalesFloor } from '../emission/sales-floor';
import type { Grants } from '../oauth/grants';
import { Problem } from '../problem';
import type { LiveReadings } from '../readings/readings';
import { sendList } from '../readings/send-list';
import { requireScope } from './authenticate-bearer';

/**
 * `GET /v1/deals` (document, 4). Its answer is not shown: all deals, in the shape of the list of webhooks. Each is also at
 * the address that its `_links.self` names (document, 2.1).
 */
export function dealRoutes(
  app: FastifyInstance,
  { grants, floor, readings }: { grants: Grants; floor: SalesFloor; readings: LiveReadings },
): void {
  app.addHook('onRequest', requireScope(grants, 'deals'));
  app.get(ENDPOINTS.deals, (request, reply) =>
    sendList(request, reply, { name: 'deals', records: floor.deals.all() }, readings),
  );
  app.get(`${ENDPOINTS.deals}/:id`, ({ params }: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const deal = floor.deals.find(Number(params.id));
    if (deal) return reply.send(deal);
    const detail = 'There is no deal with this id. List the deals for those there are.';
    throw new Problem(404, 'deal_not_found', 'No such deal', detail);
  });
}
