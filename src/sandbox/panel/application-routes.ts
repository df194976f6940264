import type { FastifyInstance } from 'fastify';
import { type Application, applicationChanges, applicationRequest } from '../oauth/applications';
import type { RefreshToken } from '../oauth/grants';
import { parseRequest } from '../parse-request';
import type { Parts } from '../parts';
import { type WithId, requireFound } from './require-found';

/** Applications and their refresh tokens (document, 5.1 and 5.4). */
export function applicationRoutes(app: FastifyInstance, { applications, grants, allowHttp }: Parts): void {
  const [creation, changes] = [applicationRequest(allowHttp), applicationChanges(allowHttp)];
  const applicationOf = ({ params }: WithId): Application =>
    requireFound(applications.find(params.id), 'application');

  app.get('/panel/applications', () => ({ data: applications.all().map(describeApplication) }));
  app.post('/panel/applications', (request, reply) => {
    const { clientId, clientSecret } = applications.register(parseRequest(creation, request.body));
    return reply.code(201).send({ client_id: clientId, client_secret: clientSecret });
  });
  app.patch('/panel/applications/:id', (request: WithId) => {
    const application = applicationOf(request);
    applications.change(application, parseRequest(changes, request.body));
    return describeApplication(application);
  });
  app.post('/panel/applications/:id/secret', (request: WithId) => ({
    client_secret: applications.renewSecret(applicationOf(request)),
  }));

  app.get('/panel/refresh-tokens', () => ({ data: grants.validRefreshTokens().map(describeRefreshToken) }));
  app.delete('/panel/refresh-tokens/:id', (request: WithId, reply) => {
    const token = grants.validRefreshTokens().find(({ id }) => id === request.params.id);
    grants.revoke(requireFound(token, 'refresh token').grant);
    return reply.code(204).send();
  });
}

function describeApplication({ clientId, name, redirectUris }: Application) {
  return { client_id: clientId, name, redirect_uris: redirectUris };
}

function describeRefreshToken({ id, grant, lastFour, issuedAt }: RefreshToken) {
  return {
    id,
    client_id: grant.clientId,
    scopes: grant.scopes,
    last_four: lastFour,
    issued_at: issuedAt,
  };
}
