import type { FaultName } from '../../../src/sandbox/quirks/faults';
import { SandboxedRelay } from '../../support/daemon/sandboxed-relay';

const HOUR = 3_600_000;

let relay: SandboxedRelay;
afterEach(() => relay.end());

const TOKEN_FAULTS: FaultName[] = ['token_reset', 'token_500', 'token_html', 'token_lost'];
const API_FAULTS: FaultName[] = ['api_401', 'api_403', 'api_429', 'api_500', 'api_slow'];
const SENDING_FAULTS: FaultName[] = ['notifications_duplicated', 'notifications_reordered'];

describe('After a fault of Co-Pilot it ends connected, registered once and receiving', () => {
  it.each(TOKEN_FAULTS)('of its token endpoint during the consent: %s', async (fault) => {
    relay = await SandboxedRelay.start({ faults: { [fault]: 1 } });
    expect(await relay.connect()).toBeGreaterThanOrEqual(400);
    expect(await relay.connect()).toBe(302);
    await relay.expectWellForLong();
  });

  it.each(TOKEN_FAULTS.filter((fault) => fault !== 'token_lost'))(
    'of its token endpoint during renewals, without a new consent: %s',
    async (fault) => {
      relay = await SandboxedRelay.start();
      await relay.connect();
      await relay.expectWell();
      await relay.panel('PATCH', '/faults', { [fault]: 3 });
      relay.clock.move(HOUR);
      await relay.untilConnection('unreachable');
      await relay.receives();
      await relay.expectWellForLong();
    },
  );

  it('of an answer to a renewal that was lost: the new token went with it, and a consent is asked for', async () => {
    relay = await SandboxedRelay.start();
    await relay.connect();
    await relay.expectWell();
    await relay.panel('PATCH', '/faults', { token_lost: 1 });
    relay.clock.move(HOUR);
    await relay.untilConnection('consent_needed');
    await relay.receives();
    expect(await relay.connect()).toBe(302);
    await relay.expectWellForLong();
  });

  it.each(API_FAULTS)('of its API from the first registration on: %s', async (fault) => {
    relay = await SandboxedRelay.start({ readings: { slow_answer_seconds: 1 }, faults: { [fault]: 3 } });
    await relay.connect();
    await relay.expectWellForLong();
  });

  it.each(API_FAULTS)('of its API at a new start: %s', async (fault) => {
    relay = await SandboxedRelay.start({ readings: { slow_answer_seconds: 1 } });
    await relay.connect();
    await relay.expectWell();
    await relay.panel('PATCH', '/faults', { [fault]: 3 });
    await relay.restart();
    await relay.expectWellForLong();
  });

  it.each(SENDING_FAULTS)('of its sending: %s', async (fault) => {
    relay = await SandboxedRelay.start({ faults: { [fault]: true } });
    await relay.connect();
    await relay.expectWellForLong();
  });

  it('that is a client secret made anew: told, and over with the new one', async () => {
    relay = await SandboxedRelay.start();
    await relay.connect();
    await relay.expectWell();
    await relay.renewClientSecret();
    relay.clock.move(HOUR);
    await relay.untilConnection('client_refused');
    await relay.receives();
    await relay.restart();
    await relay.expectWellForLong();
  });

  it('that is a webhook deleted by somebody else: it is registered anew', async () => {
    relay = await SandboxedRelay.start();
    await relay.connect();
    await relay.expectWell();
    const [before] = await relay.webhooks();
    await relay.panel('DELETE', `/webhooks/${before!.webhook_id}`);
    await relay.untilRegistered((webhooks) => webhooks.length === 1);
    await relay.expectWellForLong();
  });

  it.each([
    ['its events', { events: ['deal.created'] }],
    ['its being active', { active: false }],
    ['its address', { url: 'https://somewhere.example/else' }],
  ])('that is a webhook changed by somebody else in %s: it is set right', async (_, change) => {
    relay = await SandboxedRelay.start();
    await relay.connect();
    await relay.expectWell();
    // Only a list that has shown our address tells, later, that it was changed.
    await relay.ask('POST', '/subscription/repair');
    const [before] = await relay.webhooks();
    await relay.panel('PATCH', `/webhooks/${before!.webhook_id}`, change);
    // One that is replaced stays until the retries that are under way for it have ended.
    await relay.untilRegistered(
      ([now, ...others]) =>
        others.length === 0 && now!.active && now!.events.length === 10 && now!.url.includes('/hooks/'),
    );
    await relay.expectWellForLong();
  });
});

it('Ten starts one after the other leave the one webhook', async () => {
  relay = await SandboxedRelay.start();
  await relay.connect();
  await relay.expectWell();
  const [before] = await relay.webhooks();
  for (let start = 0; start < 10; start += 1) {
    await relay.restart();
    await relay.untilWell();
  }
  expect((await relay.webhooks()).map((webhook) => webhook.webhook_id)).toEqual([before!.webhook_id]);
  await relay.expectWell();
}, 60_000);
