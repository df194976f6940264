import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { Parts } from '../parts';
import { Problem } from '../problem';
import { sendList } from './send-list';
import { requireScope } from './require-scope';

/**
 * `GET /v1/deals` (document, 4). The document does not show the response; the sandbox sends all deals in the format
 * of the webhook list. Each deal also has its own resource, named by `_links.self` (document, 2.1).
 */
export function dealRoutes(app: FastifyInstance, { grants, crm, quirks }: Parts): void {
  app.addHook('onRequest', requireScope(grants, 'deals'));
  app.get(ENDPOINTS.deals, (request, reply) =>
    sendList(request, reply, { name: 'deals', records: crm.deals.all() }, quirks),
  );
  app.get(`${ENDPOINTS.deals}/:id`, ({ params }: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const deal = crm.deals.find(Number(params.id));
    if (deal) return reply.send(deal);
    const detail = 'There is no deal with this id. List the deals to see their ids.';
    throw new Problem(404, 'deal_not_found', 'Deal not found', detail);
  });
}
