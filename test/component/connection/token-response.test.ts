import { backOffMs } from '../../../src/relay/connection/back-off';
import { readTokenResponse } from '../../../src/relay/connection/read-token-response';

const answer = (status: number, body: unknown) =>
  readTokenResponse({ kind: 'answered', status, body, empty: body === undefined, headers: {} });

const whole = {
  access_token: 'abc',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'def',
  scope: 'deals webhooks',
};

describe('The answer of the token endpoint', () => {
  it('is read as the document shows it', () => {
    expect(answer(200, whole)).toEqual({
      kind: 'tokens',
      tokens: {
        accessToken: 'abc',
        refreshToken: 'def',
        lifetimeSeconds: 3600,
        scopes: ['deals', 'webhooks'],
      },
    });
  });

  it.each([
    ['a life sent as a string', { expires_in: '1800' }, { lifetimeSeconds: 1800 }],
    ['no life, which is the hour of the document', { expires_in: undefined }, { lifetimeSeconds: 3600 }],
    ['a life that is no number', { expires_in: 'soon' }, { lifetimeSeconds: 3600 }],
    ['a life that is over', { expires_in: 0 }, { lifetimeSeconds: 3600 }],
    ['no token type, which is Bearer', { token_type: undefined }, { accessToken: 'abc' }],
    ['a token type in other letters', { token_type: 'bearer' }, { accessToken: 'abc' }],
    ['no refresh token', { refresh_token: undefined }, { refreshToken: null }],
    ['an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
    ['no scopes', { scope: undefined }, { scopes: null }],
    ['scopes separated by commas', { scope: 'deals,webhooks' }, { scopes: ['deals', 'webhooks'] }],
  ])('may have %s', (_, given, expected) => {
    expect(answer(200, { ...whole, ...given })).toMatchObject({ kind: 'tokens', tokens: expected });
  });

  it.each([
    ['HTML with status 200', 200, undefined],
    ['no access token', 200, { ...whole, access_token: undefined }],
    ['a token that fits no header', 200, { ...whole, access_token: 'a\nb' }],
    ['another kind of token', 200, { ...whole, token_type: 'mac' }],
    ['HTML with status 400', 400, undefined],
    ['HTML with status 401', 401, undefined],
    ['a redirect', 302, undefined],
    ['too many requests', 429, { error: 'slow_down' }],
    ['a fault of its own', 500, { error: 'server_error' }],
    ['a fault of its own as 400', 400, { error: 'temporarily_unavailable' }],
  ])('says nothing against the grant with %s', (_, status, body) => {
    expect(answer(status, body).kind).toBe('unreachable');
  });

  it.each([
    ['invalid_grant', 400, { error: 'invalid_grant' }, 'grant_refused'],
    ['invalid_grant as 401', 401, { error: 'invalid_grant' }, 'grant_refused'],
    ['invalid_client', 401, { error: 'invalid_client' }, 'client_refused'],
    ['invalid_client as 400', 400, { error: 'invalid_client' }, 'client_refused'],
    ['a 401 without a known name', 401, {}, 'client_refused'],
  ])('tells client and grant apart: %s', (_, status, body, kind) => {
    expect(answer(status, body).kind).toBe(kind);
  });
});

describe('A 400 that does not name the grant', () => {
  it.each([
    ['an empty object', {}],
    ['a message of a gateway', { message: 'Bad Request' }],
    ['invalid_request', { error: 'invalid_request' }],
    ['invalid_scope', { error: 'invalid_scope' }],
    ['an error that is no text', { error: { code: 'invalid_grant' } }],
  ])('is no refusal of it: %s', (_, body) => {
    expect(answer(400, body).kind).toBe('request_refused');
  });
});

const random = (fraction: number) => ({
  bytes: (size: number) => Buffer.alloc(size),
  fraction: () => fraction,
});

describe('The wait between failures', () => {
  it('begins with 5 s and doubles up to an hour', () => {
    const waits = [1, 2, 3, 10, 11, 50].map((failures) => backOffMs(failures, random(0)) / 1000);
    expect(waits).toEqual([5, 10, 20, 2560, 3600, 3600]);
  });

  it('is up to a fifth shorter by chance', () => {
    expect(backOffMs(1, random(0.999999))).toBe(4000);
  });
});
