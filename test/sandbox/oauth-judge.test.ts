import * as oauth from 'oauth4webapi';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';
import { REDIRECT_URI } from './client';

/** The flow as a published client library sees it, whose strictness is not ours (document, 5.2 to 5.4). */
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ consent: 'grant' });
});
afterEach(() => sandbox.close());

const http = { [oauth.allowInsecureRequests]: true };

function judge() {
  const made = sandbox.createApplication({ name: 'Judge', redirectUris: [REDIRECT_URI] });
  const server: oauth.AuthorizationServer = {
    issuer: sandbox.baseUrl,
    authorization_endpoint: `${sandbox.baseUrl}/oauth/authorize`,
    token_endpoint: `${sandbox.baseUrl}/oauth/token`,
  };
  const client: oauth.Client = { client_id: made.clientId };
  const authentication = oauth.ClientSecretPost(made.clientSecret);

  const redirected = async (parameters: Record<string, string>): Promise<URL> => {
    const url = new URL(server.authorization_endpoint ?? '');
    const asked = {
      response_type: 'code',
      client_id: made.clientId,
      redirect_uri: REDIRECT_URI,
      ...parameters,
    };
    url.search = new URLSearchParams(asked).toString();
    const answer = await fetch(url, { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '');
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
  return { server, client, authentication, redirected, exchanged };
}

test('oauth4webapi authorizes, exchanges the code, calls the API and renews its tokens', async () => {
  const { server, client, authentication, redirected, exchanged } = judge();
  const state = oauth.generateRandomState();
  const callback = oauth.validateAuthResponse(
    server,
    client,
    await redirected({ scope: 'webhooks,deals', state }),
    state,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchanged(callback));
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'deals webhooks' });

  const deals = new URL(`${sandbox.baseUrl}/v1/deals`);
  const read = await oauth.protectedResourceRequest(tokens.access_token, 'GET', deals, undefined, null, http);
  expect(read.status).toBe(200);

  const renewal = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    tokens.refresh_token ?? '',
    http,
  );
  const renewed = await oauth.processRefreshTokenResponse(server, client, renewal);
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(renewed.scope).toBe('deals webhooks');
});

test('oauth4webapi recognizes a denied scope as an error of the authorization', async () => {
  const { server, client, redirected } = judge();
  const target = await redirected({ scope: 'everything', state: 's' });
  expect(() => oauth.validateAuthResponse(server, client, target, 's')).toThrow(
    expect.objectContaining({ error: 'invalid_scope' }),
  );
});

test('oauth4webapi recognizes the second use of a code as an error of the token endpoint', async () => {
  const { server, client, redirected, exchanged } = judge();
  const target = await redirected({ scope: 'webhooks', state: 's' });
  const callback = oauth.validateAuthResponse(server, client, target, 's');
  await exchanged(callback);
  const second = oauth.processAuthorizationCodeResponse(server, client, await exchanged(callback));
  await expect(second).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
});

test('oauth4webapi recognizes a wrong secret as an error of the token endpoint', async () => {
  const { server, client } = judge();
  const wrong = oauth.ClientSecretPost('wrong');
  const answer = await oauth.refreshTokenGrantRequest(server, client, wrong, 'any', http);
  const processed = oauth.processRefreshTokenResponse(server, client, answer);
  await expect(processed).rejects.toMatchObject({ error: 'invalid_client', status: 401 });
});
