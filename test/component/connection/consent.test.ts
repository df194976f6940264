import { GrantStore } from '../../../src/relay/connection/grant.store';
import { createHash } from 'node:crypto';
import { StartupError } from '../../../src/relay/ground/relay-error';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

const MINUTE_MS = 60_000;

describe('authorization at Co-Pilot', () => {
  const harness = useFeatureHarness();
  beforeEach(() => harness.open());

  /** Starts an authorization and consents at Co-Pilot. @returns the query of its redirect */
  const consented = async (): Promise<Record<string, string>> => {
    const callback = await harness.upstream.consent(await harness.startAuthorization());
    return Object.fromEntries(callback.searchParams);
  };
  const failureOf = async (query: unknown): Promise<string | null> => {
    const outcome = await harness.completeAuthorization(query);
    return outcome.status === 'failed' ? outcome.failure.code : null;
  };

  it('redirects the operator to Co-Pilot with the parameters of the document', async () => {
    const address = new URL(await harness.startAuthorization());
    expect(`${address.origin}${address.pathname}`).toBe(`${harness.upstream.baseUrl}/oauth/authorize`);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-of-the-test',
      redirect_uri: 'https://hub.example/oauth/callback',
      scope: 'webhooks,deals,contacts,tasks,scenarios,agents',
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('stores a grant', async () => {
    expect(harness.connectionState()).toMatchObject({
      state: 'not_connected',
      connected_at: null,
      scopes_missing: [],
    });
    const states: string[] = [];
    harness.app.get(GrantStore).onConnected(() => states.push(harness.connectionState().state));

    await harness.connect();

    expect(states).toEqual(['connected']);
    expect(harness.connectionState()).toEqual({
      state: 'connected',
      sentence: 'The grant is valid, and its tokens are renewed automatically.',
      remedy: null,
      base_url: harness.upstream.baseUrl,
      client_id: 'client-of-the-test',
      scopes_needed: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      scopes_granted: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      scopes_missing: [],
      connected_at: '2026-11-20T12:00:00.000Z',
      renewed_at: null,
      expires_at: '2026-11-20T13:00:00.000Z',
      ends_at: null,
      renews_at: '2026-11-20T12:48:00.000Z',
      consent_failure: null,
    });
    const [exchange] = harness.upstream.on('POST /oauth/token');
    expect(exchange?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toEqual({
      grant_type: 'authorization_code',
      code: expect.stringMatching(/^code-/),
      client_id: 'client-of-the-test',
      client_secret: 'client-secret-of-the-test',
      redirect_uri: 'https://hub.example/oauth/callback',
    });
  });

  it('stores the hash of the state, not the state itself', async () => {
    const state = new URL(await harness.startAuthorization()).searchParams.get('state') ?? '';
    const rows = harness.readRows<{ state_hash: string }>('SELECT state_hash FROM oauth_states');
    const hash = createHash('sha256').update(`${state}.${harness.workspace.browser[0]}`).digest('hex');
    expect(rows).toEqual([{ state_hash: hash }]);
    for (const secret of [state, harness.workspace.browser[0]!])
      expect(harness.storedBytes().includes(secret)).toBe(false);
  });

  it('accepts a callback only from the browser that started the authorization', async () => {
    const query = await consented();
    const others = ['', 'x'.repeat(43), query['state'] ?? ''];
    const outcome = await harness.authorization.complete(query, others);
    expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'state_unknown' } });
    expect(harness.upstream.on('POST /oauth/token')).toEqual([]);
    expect(await harness.authorization.complete(query, [...others, ...harness.workspace.browser])).toEqual({
      status: 'connected',
    });
  });

  it('accepts each state once', async () => {
    const query = await consented();
    expect(await failureOf(query)).toBeNull();
    const writes = jest.spyOn(harness.journal, 'change');
    expect(await failureOf(query)).toBe('state_used');
    expect(await failureOf({ state: 'made-up', code: 'code-x' })).toBe('state_unknown');
    expect(writes).not.toHaveBeenCalled();
    expect(harness.upstream.on('POST /oauth/token')).toHaveLength(1);
  });

  it('accepts each state once even if several callbacks arrive concurrently', async () => {
    const query = await consented();
    const outcomes = await Promise.all([failureOf(query), failureOf(query), failureOf(query)]);
    expect(outcomes.filter((code) => code === null)).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'state_used')).toHaveLength(2);
    expect(harness.upstream.on('POST /oauth/token')).toHaveLength(1);
  });

  it('accepts a state for 15 minutes, across restarts too', async () => {
    const [inTime, late] = [await consented(), await consented()];
    await harness.close();
    await harness.open();
    harness.workspace.clock.time += 15 * MINUTE_MS - 1;
    expect(await failureOf(inTime)).toBeNull();
    harness.workspace.clock.time += 1;
    expect(await failureOf(late)).toBe('state_expired');
    expect(harness.upstream.on('POST /oauth/token')).toHaveLength(1);
  });

  it.each([
    ['a state that was never issued', { state: 'made-up', code: 'code-x' }, 'state_unknown'],
    ['no state', { code: 'code-x' }, 'callback_unreadable'],
    ['two states', { state: ['a', 'b'], code: 'code-x' }, 'callback_unreadable'],
    ['no query at all', undefined, 'callback_unreadable'],
  ])('rejects %s without sending the code to Co-Pilot', async (_, query, code) => {
    expect(await failureOf(query)).toBe(code);
    expect(harness.upstream.requests).toEqual([]);
  });

  it('reports a denial, which consumes the state', async () => {
    const { state } = await consented();
    expect(await failureOf({ state, error: 'access_denied' })).toBe('consent_denied');
    expect(await failureOf({ state, code: 'code-x' })).toBe('state_used');
  });

  it('reports other errors of Co-Pilot, and a missing code', async () => {
    expect(await failureOf({ state: (await consented())['state'], error: 'invalid_scope' })).toBe(
      'consent_failed',
    );
    expect(await failureOf({ state: (await consented())['state'] })).toBe('code_missing');
  });

  it.each([
    ['rejects the code', { status: 400, body: { error: 'invalid_grant' } }, 'code_rejected'],
    ['rejects the client', { status: 401, body: { error: 'invalid_client' } }, 'client_rejected'],
    ['responds with HTML', { status: 200, body: '<html>', contentType: 'text/html' }, 'tokens_missing'],
    ['fails', { status: 503, body: '' }, 'tokens_missing'],
    ['answers 200 with an error', { status: 200, body: { error: 'invalid_grant' } }, 'code_rejected'],
    ['closes the connection', 'drop_request' as const, 'copilot_unreachable'],
  ])('reports the cause if Co-Pilot %s', async (_, misbehaviour, code) => {
    const query = await consented();
    harness.upstream.misbehave('POST /oauth/token', misbehaviour);
    expect(await failureOf(query)).toBe(code);
    expect(harness.connectionState().state).toBe('not_connected');
  });

  it.each([
    [
      ['webhooks', 'deals'],
      ['contacts', 'tasks', 'scenarios', 'agents'],
      'Without contacts, contact.created, contact.updated may not arrive. Without tasks, task.created, task.completed',
      'COPILOT_EVENTS',
    ],
    [
      ['deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      ['webhooks'],
      'Without webhooks the webhook can be neither registered nor repaired',
      'no webhook can be registered',
    ],
  ])('says what will not work if only %s are granted', async (granted, missing, loss, help) => {
    harness.upstream.grants.scopes = granted;
    await harness.connect();
    expect(harness.connectionState()).toMatchObject({
      state: 'connected',
      scopes_granted: granted,
      scopes_missing: missing,
      sentence: expect.stringContaining(loss),
      remedy: expect.stringContaining(help),
    });
  });

  it('says that a missing scope which nothing needs has no effect', async () => {
    await harness.close();
    await harness.open({ COPILOT_SCOPES: 'webhooks,deals,analytics' });
    harness.upstream.grants.scopes = ['webhooks', 'deals'];
    await harness.connect();
    const { sentence } = harness.connectionState();
    expect(sentence).toContain('Without analytics nothing that Switchboard does is affected.');
  });

  it('shows a failure until the next one succeeds, and only for a known state', async () => {
    const { state } = await consented();
    const states: (string | undefined)[] = [];
    harness.connection.onChange(() => states.push(harness.connectionState().consent_failure?.code));

    await failureOf({ state: 'made-up', code: 'code-x' });
    await failureOf({});
    expect(harness.connectionState().consent_failure).toBeNull();
    await failureOf({ state, error: 'access_denied' });
    expect(states).toEqual(['consent_denied']);
    expect(harness.connectionState()).toMatchObject({
      state: 'not_connected',
      sentence: expect.stringContaining('Access was denied'),
      remedy: expect.stringContaining('allow access'),
      consent_failure: { at: '2026-11-20T12:00:00.000Z', code: 'consent_denied' },
    });
    await harness.connect();
    expect(harness.connectionState().consent_failure).toBeNull();
  });

  it('leaves no token, code, state or secret in the stored data or in the log', async () => {
    const query = await consented();
    await harness.completeAuthorization(query);
    await harness.advance(PAST_EXPIRY_MS);
    expect(harness.upstream.on('POST /oauth/token').length).toBeGreaterThan(1);
    const secrets = [
      query['code'] ?? '',
      query['state'] ?? '',
      harness.upstream.clientSecret,
      ...harness.upstream.requests.flatMap(({ headers, body }) => [
        ...(headers.authorization?.slice('Bearer '.length) ?? '').split(' '),
        new URLSearchParams(body).get('refresh_token') ?? '',
      ]),
    ].filter(Boolean);
    expect(secrets.length).toBeGreaterThanOrEqual(4);
    const [bytes, log] = [harness.storedBytes(), harness.workspace.logged.join('')];
    for (const secret of secrets) {
      expect(bytes.includes(secret)).toBe(false);
      expect(log.includes(secret)).toBe(false);
    }
    for (const kind of ['access-', 'refresh-', 'code-']) expect(bytes.includes(kind)).toBe(false);
  });
});

const PAST_EXPIRY_MS = 61 * MINUTE_MS;

describe('a stored grant', () => {
  const harness = useFeatureHarness();
  beforeEach(async () => {
    await harness.open();
    await harness.connect();
    await harness.close();
  });

  it('is loaded after a restart', async () => {
    await harness.open();
    expect(harness.connectionState().state).toBe('connected');
    await harness.close();
  });

  it.each([
    ['COPILOT_BASE_URL', 'http://127.0.0.1:9'],
    ['COPILOT_CLIENT_ID', 'another-client'],
  ])('prevents the start if %s has changed', async (name, value) => {
    const startupError = await harness.open({ [name]: value }).then(
      () => harness.close(),
      (error: unknown) => error,
    );
    expect(startupError).toBeInstanceOf(StartupError);
    expect(String(startupError)).toContain(`${name} is ${value}`);
  });
});
