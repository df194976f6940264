// A third-party OAuth server instead of Co-Pilot's, with an API for webhooks only. Arguments: oidc-provider or
// oauth2-mock-server, and the redirect URI. Prints its URL; /seen returns what it received. From /gateway/on to
// /gateway/off, a gateway in front of it removes the refresh token of each request; /revoke revokes all refresh tokens.
// It is a separate process because both packages are ES modules, which Jest cannot load.
import { createServer } from 'node:http';
import { once } from 'node:events';

const [which, redirectUri] = process.argv.slice(2);
const CLIENT = { client_id: 'switchboard', client_secret: 'secret-of-the-test' };
const LIFETIME_SECONDS = 60;

let losesRefreshTokens = false;
const refreshTokens = new Set();
const seen = { grants: [], renewals: 0, webhooks: [], calls: [] };
const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const { handle, accepts } = await (which === 'oidc-provider' ? oidcProvider() : mockServer());
process.stdout.write(`${baseUrl}\n`);

async function oidcProvider() {
  const { Provider, interactionPolicy } = await import('oidc-provider');
  const provider = new Provider(baseUrl, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    routes: { authorization: '/oauth/authorize', token: '/oauth/token' },
    scopes: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
    pkce: { required: () => false },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: LIFETIME_SECONDS,
      AuthorizationCode: 60,
      RefreshToken: 3_600,
      Grant: 3_600,
      Session: 3_600,
      Interaction: 600,
    },
    interactions: { policy: interactionPolicy.base() },
  });
  provider.on('grant.success', ({ oidc }) => seen.grants.push(oidc.params.grant_type));
  provider.on('grant.error', (_, error) => seen.grants.push(error.message));
  provider.on('refresh_token.saved', (token) => refreshTokens.add(token));
  return {
    handle: provider.callback(),
    accepts: async (token) => (await provider.AccessToken.find(token)) !== undefined,
  };
}

async function mockServer() {
  const { OAuth2Issuer, OAuth2Service } = await import('oauth2-mock-server');
  const issuer = new OAuth2Issuer();
  issuer.url = baseUrl;
  await issuer.keys.generate('RS256');
  const service = new OAuth2Service(issuer, { authorize: '/oauth/authorize', token: '/oauth/token' });
  const issued = new Set();
  service.on('beforeResponse', ({ body }, { body: asked }) => {
    seen.grants.push(asked.grant_type);
    body.expires_in = LIFETIME_SECONDS;
    issued.add(body.access_token);
  });
  return { handle: service.requestHandler, accepts: async (token) => issued.has(token) };
}

async function serve(request, response) {
  // Scopes are separated by commas at Co-Pilot (document, 5.5), by spaces everywhere else (RFC 6749, 3.3).
  if (request.url.startsWith('/oauth/authorize?')) {
    const asked = new URL(request.url, baseUrl);
    asked.searchParams.set('scope', asked.searchParams.get('scope').replaceAll(',', ' '));
    request.url = asked.pathname + asked.search;
  }
  if (request.url === '/seen') return json(response, 200, seen);
  if (request.url.startsWith('/gateway/')) {
    losesRefreshTokens = request.url === '/gateway/on';
    return json(response, 200, {});
  }
  if (request.url === '/revoke') {
    for (const token of refreshTokens) await token.destroy();
    return json(response, 200, {});
  }
  if (losesRefreshTokens && request.url === '/oauth/token') {
    const form = new URLSearchParams(await textOf(request));
    form.delete('refresh_token');
    // Both packages accept a body that was already read.
    request.body = Object.fromEntries(form);
  }
  if (!request.url.startsWith('/v1/')) return handle(request, response);
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const accepted = token !== undefined && (await accepts(token));
  seen.calls.push({ method: request.method, accepted });
  if (!accepted) return json(response, 401, { error: 'invalid_token' });
  const text = await textOf(request);
  if (request.method === 'POST') {
    const { secret: _, ...webhook } = { ...JSON.parse(text), webhook_id: `wh_${seen.webhooks.length + 1}` };
    seen.webhooks.push(webhook);
    return json(response, 201, webhook);
  }
  if (request.method === 'GET') return json(response, 200, { data: seen.webhooks });
  const webhook = seen.webhooks.find(({ webhook_id: id }) => request.url.endsWith(id));
  if (webhook === undefined) return json(response, 404, { error: 'not_found' });
  return json(response, 200, Object.assign(webhook, JSON.parse(text || '{}')));
}

async function textOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function json(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
