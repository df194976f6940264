import { backOffMs } from '../../../src/relay/connection/back-off';
import { readTokenResponse } from '../../../src/relay/connection/read-token-response';

const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readTokenResponse(
    { kind: 'response', status, body, empty: body === undefined, headers },
    ['secret-of-ours'],
    0,
  );

const complete = {
  access_token: 'abc',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'def',
  scope: 'deals webhooks',
};

describe('the response of the token endpoint', () => {
  it('is read as the document shows it', () => {
    expect(read(200, complete)).toEqual({
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
    ['a lifetime sent as a string', { expires_in: '1800' }, { lifetimeSeconds: 1800 }],
    [
      'no lifetime, so the hour of the document applies',
      { expires_in: undefined },
      { lifetimeSeconds: 3600 },
    ],
    ['a lifetime that is not a number', { expires_in: 'soon' }, { lifetimeSeconds: 3600 }],
    ['a lifetime of zero', { expires_in: 0 }, { lifetimeSeconds: 3600 }],
    ['no token type, so Bearer applies', { token_type: undefined }, { accessToken: 'abc' }],
    ['a token type in lower case', { token_type: 'bearer' }, { accessToken: 'abc' }],
    ['no refresh token', { refresh_token: undefined }, { refreshToken: null }],
    ['an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
    ['no scopes', { scope: undefined }, { scopes: null }],
    ['scopes separated by commas', { scope: 'deals,webhooks' }, { scopes: ['deals', 'webhooks'] }],
  ])('may have %s', (_, given, expected) => {
    expect(read(200, { ...complete, ...given })).toMatchObject({ kind: 'tokens', tokens: expected });
  });

  it.each([
    ['HTML with status 200', 200, undefined],
    ['no access token', 200, { ...complete, access_token: undefined }],
    ['a token that is invalid in a header', 200, { ...complete, access_token: 'a\nb' }],
    ['another token type', 200, { ...complete, token_type: 'mac' }],
    ['HTML with status 400', 400, undefined],
    ['HTML with status 401', 401, undefined],
    ['a redirect', 302, undefined],
    ['too many requests', 429, { error: 'slow_down' }],
    ['a server error', 500, { error: 'server_error' }],
    ['a server error as 400', 400, { error: 'temporarily_unavailable' }],
    ['an error in a server error', 503, { error: 'invalid_grant' }],
    ['an error without a name', 200, { error: '' }],
  ])('does not revoke the grant with %s', (_, status, body) => {
    expect(read(status, body).kind).toBe('no_tokens');
  });

  it.each([
    ['invalid_grant', 400, { error: 'invalid_grant' }, 'grant_rejected'],
    ['invalid_grant as 401', 401, { error: 'invalid_grant' }, 'grant_rejected'],
    ['invalid_grant as 200', 200, { error: 'invalid_grant', access_token: null }, 'grant_rejected'],
    ['invalid_grant as 403', 403, { error: 'INVALID_GRANT' }, 'grant_rejected'],
    ['invalid_grant as 429', 429, { error: 'invalid_grant' }, 'grant_rejected'],
    ['an error that is an object', 400, { error: { code: 'invalid_grant' } }, 'grant_rejected'],
    ['an error in a list', 200, { errors: [{ type: 'invalid_grant' }] }, 'grant_rejected'],
    ['a wrapped error', 200, { data: { error: 'invalid_grant' }, error: 'failed' }, 'grant_rejected'],
    ['invalid_client as 200', 200, { error: 'invalid_client' }, 'client_rejected'],
    ['invalid_client as 403', 403, { error: 'invalid_client' }, 'client_rejected'],
    ['another error as 200', 200, { error: 'invalid_scope' }, 'request_rejected'],
    ['invalid_client', 401, { error: 'invalid_client' }, 'client_rejected'],
    ['invalid_client as 400', 400, { error: 'invalid_client' }, 'client_rejected'],
    ['a 401 without a known error', 401, {}, 'client_rejected'],
    ['a 401 about an access token', 401, { error: 'invalid_token' }, 'request_rejected'],
    ['a wrapped one', 401, { status: 401, code: 'invalid_token' }, 'request_rejected'],
  ])('distinguishes a rejected client from a rejected grant: %s', (_, status, body, kind) => {
    expect(read(status, body).kind).toBe(kind);
  });
});

it.each([
  [
    200,
    { error: 'invalid_grant', error_description: 'It was revoked.' },
    '200 (invalid_grant): It was revoked',
  ],
  [400, { error: { message: 'Bad secret-of-ours' } }, '400: Bad ***'],
  [403, { error: 'invalid_client' }, '403 (invalid_client)'],
  [200, { message: 'Come back\nlater.' }, '200, but without tokens: Come back later'],
  [200, undefined, '200, but without tokens'],
  [502, { error: 'server_error', detail: 'Restarting' }, '502 (server_error): Restarting'],
])('an answer without tokens is quoted: %j %j', (status, body, quoted) => {
  expect(read(status, body)).toMatchObject({ reason: `Co-Pilot responded with ${quoted}` });
});

it('an answer without tokens may ask for a pause', () => {
  expect(read(429, undefined, { 'retry-after': '120' })).toMatchObject({ retryAfterMs: 120_000 });
  expect(read(503, undefined, { 'retry-after': 'soon' })).toMatchObject({ retryAfterMs: 0 });
});

describe('a 400 that does not name the grant', () => {
  it.each([
    ['an empty object', {}],
    ['a message of a gateway', { message: 'Bad Request' }],
    ['invalid_request', { error: 'invalid_request' }],
    ['invalid_scope', { error: 'invalid_scope' }],
    ['an error that is not a string', { error: { code: 7 } }],
    ['a description that quotes it', { error: 'other', error_description: 'invalid_grant' }],
  ])('does not revoke it: %s', (_, body) => {
    expect(read(400, body).kind).toBe('request_rejected');
  });
});

const random = (fraction: number) => ({
  bytes: (size: number) => Buffer.alloc(size),
  fraction: () => fraction,
});

describe('the pause between failed renewals', () => {
  it('starts at 5 s and doubles up to an hour', () => {
    const pauses = [1, 2, 3, 10, 11, 50].map((failures) => backOffMs(failures, random(0)) / 1000);
    expect(pauses).toEqual([5, 10, 20, 2560, 3600, 3600]);
  });

  it('is randomly up to a fifth shorter', () => {
    expect(backOffMs(1, random(0.999999))).toBe(4000);
  });
});
