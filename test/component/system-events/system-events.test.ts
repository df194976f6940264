import { SystemEventsModule } from '../../../src/relay/system-events/system-events.module';
import { SubscriptionModule } from '../../../src/relay/subscription/subscription.module';
import { ConnectionEvents } from '../../../src/relay/system-events/connection-events';
import { FakeCopilot } from '../../support/fakes/copilot';
import {
  clearPremises,
  HOUR_MS,
  makePremises,
  readRows,
  Stand,
  type Premises,
} from '../connection/connection-fixture';

describe('events of our own', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  const open = async () => {
    stand = await Stand.open(premises, upstream, {}, [SubscriptionModule, SystemEventsModule]);
    stand.subscription.start();
  };
  const look = () => stand.app.get(ConnectionEvents, { strict: false }).tick();
  const pass = async (ms: number) => {
    await stand.pass(ms);
    await look();
  };
  /** All that were stored, oldest first. */
  const told = () =>
    readRows<{ type: string }>(premises, 'SELECT type FROM events ORDER BY seq').map(({ type }) => type);
  const bodies = () =>
    readRows<{ body: Buffer }>(premises, 'SELECT body FROM events ORDER BY seq').map(({ body }) =>
      JSON.parse(body.toString()),
    );

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    await open();
    await look();
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });
  const connect = async () => {
    await stand.connect(upstream);
    await stand.subscription.ensureRegistered();
    await look();
  };
  const BOTH = ['relay.connection.connected', 'relay.subscription.active'];

  it('tell of connection and subscription once each has come about, and of nothing before', async () => {
    expect(told()).toEqual([]);
    await connect();
    await pass(60_000);
    expect(told()).toEqual(BOTH);
    expect(bodies()[0]).toEqual({
      event: 'relay.connection.connected',
      timestamp: '2026-11-20T12:00:00.000Z',
      webhook_id: null,
      data: {
        state: 'connected',
        before: 'not_connected',
        sentence: 'The grant is valid, and its tokens are renewed automatically.',
        remedy: null,
      },
    });
  });

  it('are not told again after a restart, a killed one included', async () => {
    await connect();
    await stand.close();
    await open();
    await pass(60_000);
    await stand.kill();
    await open();
    await pass(60_000);
    expect(told()).toEqual(BOTH);
    expect(readRows(premises, 'SELECT * FROM duplicates')).toEqual([]);
  });

  it('are stored once where the note of them was lost in a crash', async () => {
    await connect();
    await stand.journal.change([['DELETE FROM told_states', []]]);
    await stand.close();
    await open();
    await pass(60_000);
    expect(told()).toEqual(BOTH);
  });

  it('tell of a trouble that lasts, and of its end', async () => {
    await connect();
    upstream.revokeGrants();
    await pass(HOUR_MS);
    expect(told()).toEqual(BOTH);
    await pass(5_000);
    expect(told()).toEqual([...BOTH, 'relay.connection.consent_needed']);
    await pass(60_000);
    await stand.connect(upstream);
    await look();
    expect(told()).toEqual([...BOTH, 'relay.connection.consent_needed', 'relay.connection.connected']);
  });

  it('do not tell of a flicker', async () => {
    await connect();
    upstream.misbehave('POST /oauth/token', { status: 500, body: 'down' }, 1);
    await pass(50 * 60_000);
    expect(stand.connectionState().state).toBe('unreachable');
    await pass(4_900);
    premises.clock.time += 3_000;
    await stand.renewal.tick();
    expect(stand.connectionState().state).toBe('connected');
    await look();
    expect(told()).toEqual(BOTH);
  });

  it('tell of a rotation and of each drift once', async () => {
    await connect();
    await stand.subscription.rotate(false);
    await look();
    expect(told()).toEqual([...BOTH, 'relay.subscription.rotated']);

    const [webhook] = [...upstream.webhooks.values()].slice(-1);
    webhook!.events = ['deal.created'];
    await stand.subscription.repair();
    await look();
    expect(told()).toEqual([...BOTH, 'relay.subscription.rotated', 'relay.subscription.drifted']);
    expect(bodies().at(-1).data).toMatchObject({ state: 'drifted', field: 'events', outcome: 'repaired' });
    await stand.close();
    await open();
    await pass(60_000);
    expect(told()).toHaveLength(4);
  });
});
