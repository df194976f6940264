import * as oauth from 'oauth4webapi';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { REDIRECT_URI } from './client';
import { patchSandbox } from './patch-sandbox';

/** The authorization flow with a strict, independent client library (document, 5.2 to 5.4). */
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ consent: 'grant' });
});
afterEach(() => sandbox.close());

const http = { [oauth.allowInsecureRequests]: true };

function readDeals(token: string): Promise<Response> {
  const deals = new URL(`${sandbox.baseUrl}/v1/deals`);
  return oauth.protectedResourceRequest(token, 'GET', deals, undefined, null, http);
}

function createClient() {
  const application = sandbox.createApplication({ name: 'Judge', redirectUris: [REDIRECT_URI] });
  const server: oauth.AuthorizationServer = {
    issuer: sandbox.baseUrl,
    authorization_endpoint: `${sandbox.baseUrl}/oauth/authorize`,
    token_endpoint: `${sandbox.baseUrl}/oauth/token`,
  };
  const client: oauth.Client = { client_id: application.clientId };
  const authentication = oauth.ClientSecretPost(application.clientSecret);

  const askedAs = (parameters: Record<string, string>): URL => {
    const url = new URL(server.authorization_endpoint ?? '');
    const asked = {
      response_type: 'code',
      client_id: application.clientId,
      redirect_uri: REDIRECT_URI,
      ...parameters,
    };
    url.search = new URLSearchParams(asked).toString();
    return url;
  };
  const redirected = async (parameters: Record<string, string>): Promise<URL> => {
    const response = await fetch(askedAs(parameters), { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '');
  };
  const exchanged = (callback: URLSearchParams): Promise<Response> =>
    oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      callback,
      REDIRECT_URI,
      oauth.nopkce,
      http,
    );
  const renewed = async (refreshToken = ''): Promise<oauth.TokenEndpointResponse> => {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, http);
    return oauth.processRefreshTokenResponse(server, client, response);
  };
  return { server, client, askedAs, redirected, exchanged, renewed };
}

test('oauth4webapi authorizes, exchanges the code, calls the API and renews its tokens', async () => {
  const { server, client, redirected, exchanged, renewed } = createClient();
  const state = oauth.generateRandomState();
  const callback = oauth.validateAuthResponse(
    server,
    client,
    await redirected({ scope: 'webhooks,deals', state }),
    state,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchanged(callback));
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'deals webhooks' });

  expect((await readDeals(tokens.access_token)).status).toBe(200);

  const renewal = await renewed(tokens.refresh_token);
  expect(renewal.refresh_token).not.toBe(tokens.refresh_token);
  expect(renewal.scope).toBe('deals webhooks');
});

test('oauth4webapi reports an invalid scope as an authorization error', async () => {
  const { server, client, redirected } = createClient();
  const target = await redirected({ scope: 'everything', state: 's' });
  expect(() => oauth.validateAuthResponse(server, client, target, 's')).toThrow(
    expect.objectContaining({ error: 'invalid_scope' }),
  );
});

test('oauth4webapi reports the second use of a code as a token endpoint error', async () => {
  const { server, client, redirected, exchanged } = createClient();
  const target = await redirected({ scope: 'webhooks', state: 's' });
  const callback = oauth.validateAuthResponse(server, client, target, 's');
  await exchanged(callback);
  const second = oauth.processAuthorizationCodeResponse(server, client, await exchanged(callback));
  await expect(second).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
});

test('oauth4webapi reports a wrong secret as a token endpoint error', async () => {
  const { server, client } = createClient();
  const wrong = oauth.ClientSecretPost('wrong');
  const response = await oauth.refreshTokenGrantRequest(server, client, wrong, 'any', http);
  const processed = oauth.processRefreshTokenResponse(server, client, response);
  await expect(processed).rejects.toMatchObject({ error: 'invalid_client', status: 401 });
});

test('oauth4webapi rejects an unknown state', async () => {
  const { server, client, redirected } = createClient();
  const target = await redirected({ scope: 'webhooks', state: 'mine' });
  expect(() => oauth.validateAuthResponse(server, client, target, 'another')).toThrow(
    'unexpected "state" response parameter value',
  );
  const without = await redirected({ scope: 'webhooks' });
  expect(() => oauth.validateAuthResponse(server, client, without, 'another')).toThrow('"state" missing');
});

test('oauth4webapi reports that the user denied consent', async () => {
  await sandbox.close();
  sandbox = await startSandbox({ consent: 'ask' });
  const { server, client, askedAs } = createClient();
  const page = await (await fetch(askedAs({ scope: 'webhooks', state: 's' }))).text();
  const question = /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const response = await fetch(server.authorization_endpoint ?? '', {
    method: 'POST',
    body: new URLSearchParams({ consent: question, decision: 'deny' }),
    redirect: 'manual',
  });
  const target = new URL(response.headers.get('location') ?? '');
  expect(() => oauth.validateAuthResponse(server, client, target, 's')).toThrow(
    expect.objectContaining({ error: 'access_denied' }),
  );
});

test('oauth4webapi renews repeatedly, and reusing a refresh token revokes the grant', async () => {
  const { server, client, redirected, exchanged, renewed } = createClient();
  const target = await redirected({ scope: 'webhooks,deals', state: 's' });
  const callback = oauth.validateAuthResponse(server, client, target, 's');
  const first = await oauth.processAuthorizationCodeResponse(server, client, await exchanged(callback));
  const second = await renewed(first.refresh_token);
  const third = await renewed(second.refresh_token);
  expect((await readDeals(third.access_token)).status).toBe(200);
  const rejection = { error: 'invalid_grant', status: 400 };
  await expect(renewed(first.refresh_token)).rejects.toMatchObject(rejection);
  await expect(renewed(third.refresh_token)).rejects.toMatchObject(rejection);
  await expect(readDeals(third.access_token)).rejects.toMatchObject({ status: 401 });
});

test('oauth4webapi renews without a new refresh token', async () => {
  await sandbox.close();
  sandbox = await startSandbox({ consent: 'grant', quirks: { refresh_token: 'reusable' } });
  const { server, client, redirected, exchanged, renewed } = createClient();
  const target = await redirected({ scope: 'webhooks', state: 's' });
  const callback = oauth.validateAuthResponse(server, client, target, 's');
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchanged(callback));
  expect(await renewed(tokens.refresh_token)).not.toHaveProperty('refresh_token');
  expect(await renewed(tokens.refresh_token)).toMatchObject({ token_type: 'bearer', scope: 'webhooks' });
});

test('oauth4webapi rejects HTML, a 500 and a lost connection as responses', async () => {
  const { renewed } = createClient();
  await patchSandbox(sandbox, 'faults', { token_html: 1 });
  await expect(renewed('any')).rejects.toThrow('"response" content-type must be application/json');
  await patchSandbox(sandbox, 'faults', { token_500: 1 });
  await expect(renewed('any')).rejects.toMatchObject({ code: 'OAUTH_RESPONSE_IS_NOT_CONFORM' });
  await patchSandbox(sandbox, 'faults', { token_reset: 1 });
  await expect(renewed('any')).rejects.toThrow('fetch failed');
});
