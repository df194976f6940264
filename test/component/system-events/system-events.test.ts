import { Leadership } from '../../../src/relay/ground/leadership';
import { SystemEventsModule } from '../../../src/relay/system-events/system-events.module';
import { SubscriptionModule } from '../../../src/relay/subscription/subscription.module';
import { ConnectionEventsWorker } from '../../../src/relay/system-events/connection-events.worker';
import { HOUR_MS, FeatureHarness, useFeatureHarness } from '../../support/daemon/feature-harness';

describe('system events', () => {
  const harness = useFeatureHarness(new FeatureHarness([SubscriptionModule, SystemEventsModule]));
  const open = async () => {
    await harness.open();
    harness.listen();
  };
  const check = () => harness.app.get(ConnectionEventsWorker, { strict: false }).tick();
  const pass = async (ms: number) => {
    await harness.advance(ms);
    await check();
  };
  /** The types of all stored events, oldest first. */
  const published = () =>
    harness.readRows<{ type: string }>('SELECT type FROM events ORDER BY seq').map(({ type }) => type);
  const bodies = () =>
    harness
      .readRows<{ body: Buffer }>('SELECT body FROM events ORDER BY seq')
      .map(({ body }) => JSON.parse(body.toString()));

  beforeEach(async () => {
    await open();
    await check();
  });
  const connect = async () => {
    await harness.connect();
    await harness.subscriptionWorker.ensureRegistered();
    await check();
  };
  const BOTH = ['relay.connection.connected', 'relay.subscription.active'];

  it('are published only when connection and subscription change', async () => {
    expect(published()).toEqual([]);
    await connect();
    await pass(60_000);
    expect(published()).toEqual(BOTH);
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

  it('are published by no daemon that may have been replaced as the leader', async () => {
    await harness.connect();
    await harness.subscriptionWorker.ensureRegistered();
    const leadership = harness.app.get(Leadership, { strict: false });
    const holdsLease = jest.spyOn(leadership, 'holdsLease').mockReturnValue(false);
    await check();
    expect(published()).toEqual([]);
    holdsLease.mockRestore();
    await pass(60_000);
    expect(published()).toEqual(BOTH);
  });

  it('are not published again after a restart or a kill', async () => {
    await connect();
    await harness.close();
    await open();
    await pass(60_000);
    await harness.kill();
    await open();
    await pass(60_000);
    expect(published()).toEqual(BOTH);
    expect(harness.readRows('SELECT * FROM duplicates')).toEqual([]);
  });

  it('are stored only once, even if the record of their publication was lost in a crash', async () => {
    await connect();
    await harness.journal.change({ statements: [['DELETE FROM published_states', []]] });
    await harness.close();
    await open();
    await pass(60_000);
    expect(published()).toEqual(BOTH);
    expect(harness.readRows('SELECT * FROM duplicates')).toEqual([]);
  });

  it('are published for a lasting problem and for its end', async () => {
    await connect();
    harness.upstream.grants.revoke();
    await pass(HOUR_MS);
    expect(published()).toEqual(BOTH);
    await pass(5_000);
    expect(published()).toEqual([...BOTH, 'relay.connection.consent_needed']);
    await pass(60_000);
    await harness.connect();
    await check();
    expect(published()).toEqual([...BOTH, 'relay.connection.consent_needed', 'relay.connection.connected']);
  });

  it('are not published for a state that lasts only briefly', async () => {
    await connect();
    harness.upstream.misbehave('POST /oauth/token', { status: 500, body: 'down' }, 1);
    await pass(50 * 60_000);
    expect(harness.connectionState().state).toBe('unreachable');
    await pass(4_900);
    harness.workspace.clock.time += 3_000;
    await harness.renewal.tick();
    expect(harness.connectionState().state).toBe('connected');
    await check();
    expect(published()).toEqual(BOTH);
  });

  it('are published once for a rotation and for each drift', async () => {
    await connect();
    await harness.actions.rotate(false);
    await check();
    expect(published()).toEqual([...BOTH, 'relay.subscription.rotated']);

    const [webhook] = [...harness.upstream.webhooks.values()].slice(-1);
    webhook!.events = ['deal.created'];
    await harness.actions.repair();
    await check();
    expect(published()).toEqual([...BOTH, 'relay.subscription.rotated', 'relay.subscription.drifted']);
    expect(bodies().at(-1).data).toMatchObject({ state: 'drifted', field: 'events', outcome: 'repaired' });
    await harness.close();
    await open();
    await pass(60_000);
    expect(published()).toHaveLength(4);
  });
});
