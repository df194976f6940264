import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts';
import { authorizeRoutes } from './authorize-routes';
import { Parameters } from './parameters';
import { tokenRoute } from './token-route';

/** Both OAuth endpoints (document, 4). They accept only forms (document, 4.2). */
export function oauthRoutes(app: FastifyInstance, parts: Parts): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, form, done) => done(null, new Parameters(String(form))),
  );
  authorizeRoutes(app, parts);
  tokenRoute(app, parts);
}
