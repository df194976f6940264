import type { FastifyInstance } from 'fastify';
import type { Emitter } from '../webhooks/emitter';
import type { Traffic } from '../webhooks/traffic';
import { trafficRoutes } from './traffic-routes';
import { webhookActs } from './webhook-acts';
import { PAGE_HEADERS } from '../html-page';
import { Problem } from '../problem';
import { type QuirkParts, quirkRoutes } from './quirk-routes';
import type { SandboxLog } from '../sandbox-log';
import { applicationRoutes } from './application-routes';
import { dealRoutes } from './deal-routes';
import { eventRoutes } from './event-routes';
import { isOwnHost } from './is-own-host';
import { type PageParts, panelPage } from './panel-page';
import { PANEL_SCRIPT } from './panel-script';
import { webhookLogRoutes } from './webhook-log-routes';
import { crmRoutes } from './crm-routes';

const foreignPage = (what: string) =>
  new Problem(
    403,
    'foreign_page',
    'Request of a foreign page',
    `${what} Open the panel itself, by localhost or an address.`,
  );

/** What the developer panel shows and steers. */
export interface PanelParts extends PageParts, QuirkParts {
  emitter: Emitter;
  traffic: Traffic;
  log: SandboxLog;
}

/**
 * The developer panel (document, 5.1): a page, and the JSON routes beneath it. It knows no login, as the sandbox has nothing
 * to protect; only other sites' pages are kept from it.
 */
export function panelRoutes(app: FastifyInstance, parts: PanelParts): void {
  app.addHook('onRequest', (request, _reply, next) => {
    const { host, 'sec-fetch-site': site } = request.headers;
    if (site === 'cross-site') return next(foreignPage('The request comes from a page of another site.'));
    if (!isOwnHost(host)) return next(foreignPage('The panel is not known under this host name.'));
    next();
  });

  app.get('/panel', (_request, reply) => reply.headers(PAGE_HEADERS).send(panelPage(parts)));
  app.get('/panel/panel.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(PANEL_SCRIPT),
  );
  app.get('/panel/requests', () => ({ data: parts.log.requests() }));

  applicationRoutes(app, parts);
  webhookLogRoutes(app, parts);
  eventRoutes(app, parts);
  dealRoutes(app, parts);
  crmRoutes(app, parts);
  trafficRoutes(app, parts);
  quirkRoutes(app, parts);
  webhookActs(app, parts);
}
