import type { FaultName } from '../../../src/sandbox/quirks/quirks';
import { SandboxedHub } from '../../support/runs/sandboxed-hub';

const HOUR = 3_600_000;

let sandboxed: SandboxedHub;

const TOKEN_FAULTS: FaultName[] = ['token_reset', 'token_500', 'token_html', 'token_lost'];
const API_FAULTS: FaultName[] = ['api_401', 'api_403', 'api_429', 'api_500', 'api_slow'];
const SENDING_FAULTS: FaultName[] = ['notifications_duplicated', 'notifications_reordered'];

const ALL_FAULTS = [...TOKEN_FAULTS, ...API_FAULTS, ...SENDING_FAULTS];

describe('after a fault at Co-Pilot from its first start on the daemon ends up connected, registered once and receiving', () => {
  afterEach(() => sandboxed.end());

  it.each(TOKEN_FAULTS)('the token endpoint fails during the consent: %s', async (fault) => {
    sandboxed = await SandboxedHub.start({ [fault]: 1 });
    expect(await sandboxed.hub.connect()).toBeGreaterThanOrEqual(400);
    expect(await sandboxed.hub.connect()).toBe(302);
    await sandboxed.expectHealthyAfterRestart();
  });

  it.each(API_FAULTS)('the API fails from the first registration on: %s', async (fault) => {
    sandboxed = await SandboxedHub.start({ slow_response_seconds: 1, [fault]: 3 });
    await sandboxed.hub.connect();
    await sandboxed.expectHealthyAfterRestart();
  });
});

describe('after a fault at Co-Pilot a healthy daemon ends up connected, registered once and receiving', () => {
  beforeAll(async () => {
    sandboxed = await SandboxedHub.start({ slow_response_seconds: 1 });
    await sandboxed.hub.connect();
    await sandboxed.expectHealthy();
  });
  afterEach(() =>
    sandboxed.sandbox.panel(
      'PATCH',
      '/faults',
      Object.fromEntries(ALL_FAULTS.map((fault) => [fault, false])),
    ),
  );
  afterAll(() => sandboxed.end());

  it.each(TOKEN_FAULTS.filter((fault) => fault !== 'token_lost'))(
    'the token endpoint fails during renewals, without a new consent: %s',
    async (fault) => {
      await sandboxed.sandbox.panel('PATCH', '/faults', { [fault]: 3 });
      sandboxed.hub.clock.move(HOUR);
      await sandboxed.untilConnection('unreachable');
      await sandboxed.receiveEvent();
      await sandboxed.expectHealthyAfterRenewal();
    },
  );

  it('of a renewal whose response was lost with the new token: a new consent is needed', async () => {
    await sandboxed.sandbox.panel('PATCH', '/faults', { token_lost: 1 });
    sandboxed.hub.clock.move(HOUR);
    await sandboxed.untilConnection('consent_needed');
    await sandboxed.receiveEvent();
    expect(await sandboxed.hub.connect()).toBe(302);
    await sandboxed.expectHealthyAfterRenewal();
  });

  it.each(API_FAULTS)('the API fails at a restart: %s', async (fault) => {
    await sandboxed.sandbox.panel('PATCH', '/faults', { [fault]: 3 });
    await sandboxed.hub.restart();
    await sandboxed.expectHealthyAfterRenewal();
  });

  it('of a replaced client secret: reported, and resolved with the new one', async () => {
    await sandboxed.sandbox.renewClientSecret();
    sandboxed.hub.clock.move(HOUR);
    await sandboxed.untilConnection('client_rejected');
    await sandboxed.receiveEvent();
    await sandboxed.hub.restart();
    await sandboxed.expectHealthyAfterRenewal();
  });

  it('of a webhook deleted by someone else: it is registered again', async () => {
    const [before] = await sandboxed.sandbox.webhooks();
    await sandboxed.sandbox.panel('DELETE', `/webhooks/${before!.webhook_id}`);
    await sandboxed.untilRegistered((webhooks) => webhooks.length === 1);
    await sandboxed.expectHealthyAfterRenewal();
  });

  it.each([
    ['its events', { events: ['deal.created'] }],
    ['its active flag', { active: false }],
    ['its URL', { url: 'https://somewhere.example/else' }],
  ])('the webhook is changed by someone else in %s: it is repaired', async (_, change) => {
    // A change is recognized only after a list has shown the registered URL.
    await sandboxed.hub.ask('/subscription/repair', { method: 'POST' });
    const [before] = await sandboxed.sandbox.webhooks();
    await sandboxed.sandbox.panel('PATCH', `/webhooks/${before!.webhook_id}`, change);
    // A replaced webhook stays until its pending retries have ended.
    await sandboxed.untilRegistered(
      ([now, ...others]) =>
        others.length === 0 && now!.active && now!.events.length === 10 && now!.url.includes('/hooks/'),
    );
    await sandboxed.expectHealthyAfterRenewal();
  });

  it.each(SENDING_FAULTS)('notifications are sent wrongly: %s', async (fault) => {
    await sandboxed.sandbox.panel('PATCH', '/faults', { [fault]: true });
    await sandboxed.expectHealthyAfterRenewal();
  });

  it('of all of these, at each of three consecutive starts, which leave one webhook', async () => {
    const [before] = await sandboxed.sandbox.webhooks();
    for (let start = 0; start < 3; start += 1) {
      await sandboxed.hub.restart();
      await sandboxed.expectHealthy();
    }
    expect((await sandboxed.sandbox.webhooks()).map((webhook) => webhook.webhook_id)).toEqual([
      before!.webhook_id,
    ]);
  });
});
