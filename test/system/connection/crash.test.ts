import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../src/contract/connection';
import type { Subscription } from '../../../src/contract/subscription';
import { cookiesOf } from '../../support/cookies';
import { Daemon } from '../../support/daemon/daemon';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';
import type { Misbehaviour } from '../../support/fakes/copilot-requests';

/** Tokens that are due for renewal after four seconds. */
const SHORT_LIFETIME_SECONDS = 5;

/** Longer than the daemon's shutdown may take, and shorter than the timeout of a request to Co-Pilot. */
const SLOW_RESPONSE_MS = 6_500;

let upstream: FakeCopilot;
let daemon: Daemon;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.start({ upstream });
});
afterAll(async () => {
  await daemon.close();
  await upstream.close();
});

const connection = () => daemon.get<Connection>('/connection');

const tokenRequests = () => upstream.on('POST /oauth/token').length;

/** Kills the daemon as soon as Co-Pilot has received the next token request, which fails as given, and restarts it. */
const killWithin = async (request: Misbehaviour, begin?: () => Promise<void>) => {
  const before = tokenRequests();
  upstream.misbehave('POST /oauth/token', request, 1);
  await begin?.();
  await until('the token request is sent', () => tokenRequests() > before);
  await daemon.kill();
  await daemon.restart();
};
const sendCallback = async () => {
  const started = await fetch(`${daemon.url}/oauth/connect`, {
    headers: { authorization: `Bearer ${daemon.token}` },
    redirect: 'manual',
  });
  const callback = await upstream.consent(started.headers.get('location') ?? '');
  const headers = { cookie: cookiesOf(started) };
  void fetch(`${daemon.url}${callback.pathname}${callback.search}`, { headers }).catch(() => undefined);
};

describe('a daemon that is killed', () => {
  it.each<Misbehaviour>(['hang', 'mute'])(
    'while a code is exchanged (%s) reports an interrupted consent',
    async (request) => {
      await killWithin(request, sendCallback);
      expect(await connection()).toMatchObject({
        state: 'not_connected',
        sentence: expect.stringContaining('Switchboard stopped while the authorization was being completed'),
        consent_failure: { code: 'exchange_interrupted' },
      });
    },
  );

  it('before Co-Pilot carries out a renewal is connected after its restart', async () => {
    upstream.grants.expiresIn = SHORT_LIFETIME_SECONDS;
    await daemon.connect();
    await killWithin('hang');
    await until('the renewal is done', async () => (await connection()).state === 'connected');
  });

  it('before the response to a renewal needs a new consent, and is registered once after it', async () => {
    await killWithin('mute');
    await until(
      'the renewal is rejected',
      async () => (await connection()).state === 'consent_needed',
      20_000,
    );
    expect(await connection()).toMatchObject({
      sentence: expect.stringContaining('after an interrupted renewal'),
      remedy:
        'Connect again. Until then events still arrive and are delivered, but the webhook can be neither checked nor repaired.',
    });
    upstream.grants.expiresIn = 3600;
    await daemon.connect();
    expect((await connection()).state).toBe('connected');
    expect((await daemon.get<Subscription>('/subscription')).state).toBe('active');
    expect(upstream.webhooks.size).toBe(1);
  });
});

const renewals = () =>
  upstream.on('POST /oauth/token').filter(({ body }) => body.includes('grant_type=refresh_token')).length;

describe('a daemon that is stopping', () => {
  it('during a slow renewal stores the tokens that it receives', async () => {
    upstream.grants.expiresIn = SHORT_LIFETIME_SECONDS;
    await daemon.connect();
    const before = renewals();
    upstream.watch('POST /oauth/token', async () => {
      upstream.grants.expiresIn = 3600;
      await pause(SLOW_RESPONSE_MS);
    });
    await until('the renewal is sent', () => renewals() === before + 1);
    expect(await daemon.stop()).toBe(0);
    await daemon.restart();
    expect(await connection()).toMatchObject({ state: 'connected', remedy: null });
    expect(await daemon.request('POST', '/subscription/repair')).toMatchObject({
      status: 200,
      body: { remedy: null },
    });
    expect(renewals()).toBe(before + 1);
  });
});
