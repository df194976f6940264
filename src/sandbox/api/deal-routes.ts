import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { Deal } from '../../protocol/shapes';
import type { Parts } from '../parts';
import { Problem } from '../problem';
import { FAULT_DETAIL } from '../quirks/inject-faults';
import type { QuirkValues } from '../quirks/quirks';
import { sendList } from './send-list';
import { requireScope } from './require-scope';

/**
 * `GET /v1/deals` (document, 4). The document does not show the response; the sandbox sends all deals in the format
 * of the webhook list. Each deal also has its own resource, named by `_links.self` (document, 2.1).
 */
export function dealRoutes(app: FastifyInstance, { grants, crm, quirks }: Parts): void {
  app.addHook('onRequest', requireScope(grants, 'deals'));
  let requests = 0;
  app.get(ENDPOINTS.deals, (request, reply) => {
    requests += 1;
    if (quirks.takeFault('deals_403')) throw new Problem(403, 'forbidden', 'Forbidden', FAULT_DETAIL);
    if (requests % 3 === 0 && quirks.takeFault('deals_page_500'))
      throw new Problem(500, 'server_error', 'Internal server error', FAULT_DETAIL);
    const records = listed(crm.deals.all(), quirks.current);
    const repeatsFirst = quirks.takeFault('deals_page_repeated');
    return sendList(request, reply, { name: 'deals', records, repeatsFirst }, quirks);
  });
  app.get(`${ENDPOINTS.deals}/:id`, ({ params }: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const deal = crm.deals.find(Number(params.id));
    if (deal) return reply.send(deal);
    const detail = 'There is no deal with this id. List the deals to see their ids.';
    throw new Problem(404, 'deal_not_found', 'Deal not found', detail);
  });
}

function listed(deals: readonly Deal[], { deals_order: order, deals_fields: fields }: QuirkValues): object[] {
  const ordered =
    order === 'id' ? deals : deals.toSorted((one, other) => (one.updated_at < other.updated_at ? 1 : -1));
  return ordered.map(({ updated_at, ...rest }) => (fields === 'all' ? { ...rest, updated_at } : rest));
}
