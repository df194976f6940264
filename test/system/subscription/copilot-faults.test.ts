import type { FaultName } from '../../../src/sandbox/quirks/quirks';
import { SandboxedRelay } from '../../support/daemon/sandboxed-relay';

const HOUR = 3_600_000;

let relay: SandboxedRelay;

const TOKEN_FAULTS: FaultName[] = ['token_reset', 'token_500', 'token_html', 'token_lost'];
const API_FAULTS: FaultName[] = ['api_401', 'api_403', 'api_429', 'api_500', 'api_slow'];
const SENDING_FAULTS: FaultName[] = ['notifications_duplicated', 'notifications_reordered'];

const ALL_FAULTS = [...TOKEN_FAULTS, ...API_FAULTS, ...SENDING_FAULTS];

describe('after a fault at Co-Pilot from its first start on the daemon ends up connected, registered once and receiving', () => {
  afterEach(() => relay.end());

  it.each(TOKEN_FAULTS)('the token endpoint fails during the consent: %s', async (fault) => {
    relay = await SandboxedRelay.start({ quirks: { [fault]: 1 } });
    expect(await relay.connect()).toBeGreaterThanOrEqual(400);
    expect(await relay.connect()).toBe(302);
    await relay.expectHealthyAfterRestart();
  });

  it.each(API_FAULTS)('the API fails from the first registration on: %s', async (fault) => {
    relay = await SandboxedRelay.start({ quirks: { slow_response_seconds: 1, [fault]: 3 } });
    await relay.connect();
    await relay.expectHealthyAfterRestart();
  });
});

describe('after a fault at Co-Pilot a healthy daemon ends up connected, registered once and receiving', () => {
  beforeAll(async () => {
    relay = await SandboxedRelay.start({ quirks: { slow_response_seconds: 1 } });
    await relay.connect();
    await relay.expectHealthy();
  });
  afterEach(() =>
    relay.panel('PATCH', '/faults', Object.fromEntries(ALL_FAULTS.map((fault) => [fault, false]))),
  );
  afterAll(() => relay.end());

  it.each(TOKEN_FAULTS.filter((fault) => fault !== 'token_lost'))(
    'the token endpoint fails during renewals, without a new consent: %s',
    async (fault) => {
      await relay.panel('PATCH', '/faults', { [fault]: 3 });
      relay.clock.move(HOUR);
      await relay.untilConnection('unreachable');
      await relay.receiveEvent();
      await relay.expectHealthyAfterRenewal();
    },
  );

  it('of a renewal whose response was lost with the new token: a new consent is needed', async () => {
    await relay.panel('PATCH', '/faults', { token_lost: 1 });
    relay.clock.move(HOUR);
    await relay.untilConnection('consent_needed');
    await relay.receiveEvent();
    expect(await relay.connect()).toBe(302);
    await relay.expectHealthyAfterRenewal();
  });

  it.each(API_FAULTS)('the API fails at a restart: %s', async (fault) => {
    await relay.panel('PATCH', '/faults', { [fault]: 3 });
    await relay.restart();
    await relay.expectHealthyAfterRenewal();
  });

  it('of a replaced client secret: reported, and resolved with the new one', async () => {
    await relay.renewClientSecret();
    relay.clock.move(HOUR);
    await relay.untilConnection('client_rejected');
    await relay.receiveEvent();
    await relay.restart();
    await relay.expectHealthyAfterRenewal();
  });

  it('of a webhook deleted by someone else: it is registered again', async () => {
    const [before] = await relay.webhooks();
    await relay.panel('DELETE', `/webhooks/${before!.webhook_id}`);
    await relay.untilRegistered((webhooks) => webhooks.length === 1);
    await relay.expectHealthyAfterRenewal();
  });

  it.each([
    ['its events', { events: ['deal.created'] }],
    ['its active flag', { active: false }],
    ['its URL', { url: 'https://somewhere.example/else' }],
  ])('the webhook is changed by someone else in %s: it is repaired', async (_, change) => {
    // A change is recognized only after a list has shown the registered URL.
    await relay.ask('/subscription/repair', { method: 'POST' });
    const [before] = await relay.webhooks();
    await relay.panel('PATCH', `/webhooks/${before!.webhook_id}`, change);
    // A replaced webhook stays until its pending retries have ended.
    await relay.untilRegistered(
      ([now, ...others]) =>
        others.length === 0 && now!.active && now!.events.length === 10 && now!.url.includes('/hooks/'),
    );
    await relay.expectHealthyAfterRenewal();
  });

  it.each(SENDING_FAULTS)('notifications are sent wrongly: %s', async (fault) => {
    await relay.panel('PATCH', '/faults', { [fault]: true });
    await relay.expectHealthyAfterRenewal();
  });

  it('of all of these, at each of three consecutive starts, which leave one webhook', async () => {
    const [before] = await relay.webhooks();
    for (let start = 0; start < 3; start += 1) {
      await relay.restart();
      await relay.expectHealthy();
    }
    expect((await relay.webhooks()).map((webhook) => webhook.webhook_id)).toEqual([before!.webhook_id]);
  });
});
