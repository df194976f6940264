import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { PAGE_HEADERS } from '../html-page';
import type { Parts } from '../parts';
import { Problem } from '../problem';
import { readStaticFile } from '../read-static-file';
import { applicationRoutes } from './application-routes';
import { crmRoutes } from './crm-routes';
import { eventRoutes } from './event-routes';
import { panelPage } from './panel-page';
import { quirkRoutes } from './quirk-routes';
import { webhookRoutes } from './webhook-routes';

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

/**
 * The developer panel (document, 5.1): a page and its JSON routes. There is no login, because the sandbox has nothing
 * to protect; cross-site requests and DNS rebinding are rejected all the same.
 */
export function panelRoutes(app: FastifyInstance, parts: Parts): void {
  app.addHook('onRequest', (request, _reply, next) => {
    const { host, 'sec-fetch-site': site } = request.headers;
    if (site === 'cross-site')
      return next(crossSiteRequest('The request was sent by a page of another site.'));
    if (!isLocalName(host)) return next(crossSiteRequest('The panel does not accept this host name.'));
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
  crmRoutes(app, parts);
  quirkRoutes(app, parts);
  webhookRoutes(app, parts);
}

/**
 * Whether the `Host` cannot be a domain that an attacker points at this machine (DNS rebinding): an IP address, or a
 * name without a dot (`localhost`, a container), which cannot be registered in DNS.
 */
function isLocalName(host: string | undefined): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d+)?$/
    .exec(host ?? '')
    ?.slice(1)
    .find(Boolean);
  return name !== undefined && (isIP(name) !== 0 || !name.includes('.'));
}
