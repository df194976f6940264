import type { FastifyInstance } from 'fastify';
import type { Emitter } from '../webhooks/emitter';
import type { Traffic } from '../webhooks/traffic';
import { trafficRoutes } from './traffic-routes';
import { PAGE_HEADERS } from '../html-page';
import { Problem } from '../problem';
import { readStaticFile } from '../read-static-file';
import { type QuirkParts, quirkRoutes } from './quirk-routes';
import type { SandboxLog } from '../sandbox-log';
import { applicationRoutes } from './application-routes';
import { dealRoutes } from './deal-routes';
import { eventRoutes } from './event-routes';
import { isOwnHost } from './is-own-host';
import { type PageParts, panelPage } from './panel-page';
import { webhookRoutes } from './webhook-routes';
import { crmRoutes } from './crm-routes';

const SCRIPTS = ['panel.js', 'quirks.js', 'request.js'].map((name) => ({
  name,
  content: readStaticFile(name),
}));

const crossSiteRequest = (reason: string) =>
  new Problem(
    403,
    'cross_site_request',
    'Cross-site request',
    `${reason} Open the panel by localhost or an IP address.`,
  );

/** What the developer panel shows and controls. */
export interface PanelParts extends PageParts, QuirkParts {
  emitter: Emitter;
  traffic: Traffic;
  log: SandboxLog;
}

/**
 * The developer panel (document, 5.1): a page and its JSON routes. There is no login, because the sandbox has nothing to
 * protect; cross-site requests and DNS rebinding are rejected all the same.
 */
export function panelRoutes(app: FastifyInstance, parts: PanelParts): void {
  app.addHook('onRequest', (request, _reply, next) => {
    const { host, 'sec-fetch-site': site } = request.headers;
    if (site === 'cross-site')
      return next(crossSiteRequest('The request was sent by a page of another site.'));
    if (!isOwnHost(host)) return next(crossSiteRequest('The panel does not accept this host name.'));
    next();
  });

  app.get('/panel', (_request, reply) => reply.headers(PAGE_HEADERS).send(panelPage(parts)));
  for (const { name, content } of SCRIPTS) {
    app.get(`/panel/${name}`, (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(content),
    );
  }
  app.get('/panel/requests', () => ({ data: parts.log.requests() }));

  applicationRoutes(app, parts);
  eventRoutes(app, parts);
  dealRoutes(app, parts);
  crmRoutes(app, parts);
  trafficRoutes(app, parts);
  quirkRoutes(app, parts);
  webhookRoutes(app, parts);
}
