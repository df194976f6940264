import { createHash } from 'node:crypto';
import { StartupError } from '../../../src/relay/ground/relay-error';
import { FakeCopilot } from '../../support/fakes/copilot';
import { allBytes, clearPremises, makePremises, readRows, Stand, type Premises } from './connection-fixture';

const MINUTE_MS = 60_000;

describe('Consent', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    stand = await Stand.open(premises, upstream);
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  /** Begins a consent and gives it at Co-Pilot; what its redirect brings back. */
  const consented = async (): Promise<Record<string, string>> => {
    const callback = await upstream.consent(await stand.begin());
    return Object.fromEntries(callback.searchParams);
  };
  const failureOf = async (query: unknown): Promise<string | null> => {
    const outcome = await stand.complete(query);
    return outcome.status === 'failed' ? outcome.failure.code : null;
  };

  it('sends the operator to Co-Pilot with what the document names', async () => {
    const address = new URL(await stand.begin());
    expect(`${address.origin}${address.pathname}`).toBe(`${upstream.baseUrl}/oauth/authorize`);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-of-the-test',
      redirect_uri: 'https://hub.example/oauth/callback',
      scope: 'webhooks,deals,contacts,tasks,scenarios,agents',
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('connects', async () => {
    expect(stand.connectionState()).toMatchObject({
      state: 'not_connected',
      connected_at: null,
      scopes_missing: [],
    });
    const heard: string[] = [];
    stand.connection.onConnected(() => heard.push(stand.connectionState().state));

    await stand.connect(upstream);

    expect(heard).toEqual(['connected']);
    expect(stand.connectionState()).toEqual({
      state: 'connected',
      sentence: 'The grant is valid, and its tokens are renewed automatically.',
      remedy: null,
      base_url: upstream.baseUrl,
      client_id: 'client-of-the-test',
      scopes_needed: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      scopes_granted: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      scopes_missing: [],
      connected_at: '2026-11-20T12:00:00.000Z',
      renewed_at: null,
      expires_at: '2026-11-20T13:00:00.000Z',
      renews_at: '2026-11-20T12:48:00.000Z',
      consent_failure: null,
    });
    const [exchange] = upstream.on('POST /oauth/token');
    expect(exchange?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toEqual({
      grant_type: 'authorization_code',
      code: expect.stringMatching(/^code-/),
      client_id: 'client-of-the-test',
      client_secret: 'client-secret-of-the-test',
      redirect_uri: 'https://hub.example/oauth/callback',
    });
  });

  it('stores the hash of the state and not the state', async () => {
    const state = new URL(await stand.begin()).searchParams.get('state') ?? '';
    const rows = readRows<{ state_hash: string }>(premises, 'SELECT state_hash FROM consents');
    const hash = createHash('sha256').update(`${state}.${premises.browser[0]}`).digest('hex');
    expect(rows).toEqual([{ state_hash: hash }]);
    for (const secret of [state, premises.browser[0]!])
      expect(allBytes(premises).includes(secret)).toBe(false);
  });

  it('takes an answer from the browser alone that began the consent', async () => {
    const query = await consented();
    const others = ['', 'x'.repeat(43), query['state'] ?? ''];
    const outcome = await stand.connection.completeAuthorization(query, others);
    expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'state_unknown' } });
    expect(upstream.on('POST /oauth/token')).toEqual([]);
    expect(await stand.connection.completeAuthorization(query, [...others, ...premises.browser])).toEqual({
      status: 'connected',
    });
  });

  it('takes each state once', async () => {
    const query = await consented();
    expect(await failureOf(query)).toBeNull();
    const writes = jest.spyOn(stand.journal, 'change');
    expect(await failureOf(query)).toBe('state_used');
    expect(await failureOf({ state: 'made-up', code: 'code-x' })).toBe('state_unknown');
    expect(writes).not.toHaveBeenCalled();
    expect(upstream.on('POST /oauth/token')).toHaveLength(1);
  });

  it('takes each state once even when two answers come at the same moment', async () => {
    const query = await consented();
    const outcomes = await Promise.all([failureOf(query), failureOf(query), failureOf(query)]);
    expect(outcomes.filter((code) => code === null)).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'state_used')).toHaveLength(2);
    expect(upstream.on('POST /oauth/token')).toHaveLength(1);
  });

  it('takes a state for 15 minutes, also over a restart', async () => {
    const [inTime, late] = [await consented(), await consented()];
    await stand.close();
    stand = await Stand.open(premises, upstream);
    premises.clock.time += 15 * MINUTE_MS - 1;
    expect(await failureOf(inTime)).toBeNull();
    premises.clock.time += 1;
    expect(await failureOf(late)).toBe('state_expired');
    expect(upstream.on('POST /oauth/token')).toHaveLength(1);
  });

  it.each([
    ['a state that was never given', { state: 'made-up', code: 'code-x' }, 'state_unknown'],
    ['no state', { code: 'code-x' }, 'callback_unreadable'],
    ['two states', { state: ['a', 'b'], code: 'code-x' }, 'callback_unreadable'],
    ['no query at all', undefined, 'callback_unreadable'],
  ])('refuses %s before a code is looked at', async (_, query, code) => {
    expect(await failureOf(query)).toBe(code);
    expect(upstream.requests).toEqual([]);
  });

  it('names a denial, which uses the state up', async () => {
    const { state } = await consented();
    expect(await failureOf({ state, error: 'access_denied' })).toBe('consent_denied');
    expect(await failureOf({ state, code: 'code-x' })).toBe('state_used');
  });

  it('names another error of Co-Pilot, and a missing code', async () => {
    expect(await failureOf({ state: (await consented())['state'], error: 'invalid_scope' })).toBe(
      'consent_failed',
    );
    expect(await failureOf({ state: (await consented())['state'] })).toBe('code_missing');
  });

  it.each([
    ['refuses the code', { status: 400, body: { error: 'invalid_grant' } }, 'code_refused'],
    ['refuses the client', { status: 401, body: { error: 'invalid_client' } }, 'client_refused'],
    ['answers HTML', { status: 200, body: '<html>', contentType: 'text/html' }, 'copilot_unreachable'],
    ['fails', { status: 503, body: '' }, 'copilot_unreachable'],
    ['hangs up', 'refuse' as const, 'copilot_unreachable'],
  ])('names what went wrong when Co-Pilot %s', async (_, misbehaviour, code) => {
    const query = await consented();
    upstream.misbehave('POST /oauth/token', misbehaviour);
    expect(await failureOf(query)).toBe(code);
    expect(stand.connectionState().state).toBe('not_connected');
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
  ])('tells what will not work where only %s are granted', async (granted, missing, loss, help) => {
    upstream.grantsScopes = granted;
    await stand.connect(upstream);
    expect(stand.connectionState()).toMatchObject({
      state: 'connected',
      scopes_granted: granted,
      scopes_missing: missing,
      sentence: expect.stringContaining(loss),
      remedy: expect.stringContaining(help),
    });
  });

  it('names a scope that nothing needs as one without which nothing is lost', async () => {
    await stand.close();
    stand = await Stand.open(premises, upstream, { COPILOT_SCOPES: 'webhooks,deals,analytics' });
    upstream.grantsScopes = ['webhooks', 'deals'];
    await stand.connect(upstream);
    const { sentence } = stand.connectionState();
    expect(sentence).toContain('Without analytics nothing that Switchboard does is affected.');
  });

  it('that failed is shown until one connects, and nobody but its operator can bring that about', async () => {
    const { state } = await consented();
    const heard: (string | undefined)[] = [];
    stand.connection.onChange(() => heard.push(stand.connectionState().consent_failure?.code));

    await failureOf({ state: 'made-up', code: 'code-x' });
    await failureOf({});
    expect(stand.connectionState().consent_failure).toBeNull();
    await failureOf({ state, error: 'access_denied' });
    expect(heard).toEqual(['consent_denied']);
    expect(stand.connectionState()).toMatchObject({
      state: 'not_connected',
      sentence: expect.stringContaining('Access was denied'),
      remedy: expect.stringContaining('allow access'),
      consent_failure: { at: '2026-11-20T12:00:00.000Z', code: 'consent_denied' },
    });
    await stand.connect(upstream);
    expect(stand.connectionState().consent_failure).toBeNull();
  });

  it('leaves no token, code, state or secret in the data, and none in the log', async () => {
    const query = await consented();
    await stand.complete(query);
    await stand.pass(HOUR_AND_MORE_MS);
    expect(upstream.on('POST /oauth/token').length).toBeGreaterThan(1);
    const secrets = [
      query['code'] ?? '',
      query['state'] ?? '',
      upstream.clientSecret,
      ...upstream.requests.flatMap(({ headers, body }) => [
        ...(headers.authorization?.slice('Bearer '.length) ?? '').split(' '),
        new URLSearchParams(body).get('refresh_token') ?? '',
      ]),
    ].filter(Boolean);
    expect(secrets.length).toBeGreaterThanOrEqual(4);
    const [bytes, log] = [allBytes(premises), premises.logged.join('')];
    for (const secret of secrets) {
      expect(bytes.includes(secret)).toBe(false);
      expect(log.includes(secret)).toBe(false);
    }
    for (const kind of ['access-', 'refresh-', 'code-']) expect(bytes.includes(kind)).toBe(false);
  });
});

const HOUR_AND_MORE_MS = 61 * MINUTE_MS;

describe('A stored grant', () => {
  let upstream: FakeCopilot;
  let premises: Premises;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    const stand = await Stand.open(premises, upstream);
    await stand.connect(upstream);
    await stand.close();
  });
  afterEach(async () => {
    await upstream.close();
    clearPremises(premises);
  });

  it('is found again after a restart', async () => {
    const stand = await Stand.open(premises, upstream);
    expect(stand.connectionState().state).toBe('connected');
    await stand.close();
  });

  it.each([
    ['COPILOT_BASE_URL', 'http://127.0.0.1:9'],
    ['COPILOT_CLIENT_ID', 'another-client'],
  ])('stops the start when %s is another', async (name, value) => {
    const refusal = await Stand.open(premises, upstream, { [name]: value }).then(
      (started) => started.close(),
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(StartupError);
    expect(String(refusal)).toContain(`${name} is ${value}`);
  });
});
