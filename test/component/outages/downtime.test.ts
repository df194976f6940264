import type { Outage } from '../../../src/contract/outage';
import { eventId } from '../../../src/relay/ground/ids';
import { Leadership } from '../../../src/relay/ground/leadership';
import { useFeatureHarness } from '../../support/daemon/feature-harness';
import { OutagesHarness } from './outages-harness';

/** Co-Pilot's last attempt comes 25 s after the first (document, 6.3). */
const RETRY_WINDOW_MS = 25_000;

describe('downtime', () => {
  const hub = useFeatureHarness(new OutagesHarness());
  beforeEach(() => hub.open());

  const withoutGaps = () => hub.published().filter(({ type }) => type !== 'relay.gap');

  /** Stops or kills the daemon, and starts it again after `ms`. */
  const stopFor = async (ms: number, end: 'close' | 'kill' = 'close') => {
    await hub[end]();
    hub.workspace.clock.time += ms;
    await hub.open();
  };

  it('is recorded from stop to start if it exceeds the retry window of Co-Pilot, and published once', async () => {
    await hub.connect();
    await hub.advance(60_000);
    hub.workspace.clock.time += 4_321;
    const stoppedAt = hub.workspace.clock.time;
    await stopFor(RETRY_WINDOW_MS + 1);
    const [outage, ...others] = await hub.list();
    expect(others).toEqual([]);
    expect(outage).toEqual({
      id: expect.stringMatching(/^out_[0-9a-z]{26}$/),
      kind: 'downtime',
      began_at: new Date(stoppedAt).toISOString(),
      ended_at: new Date(stoppedAt + RETRY_WINDOW_MS + 1).toISOString(),
      seconds: 25,
      sentence: expect.stringContaining('Events may have been missed between 2026-11-20T12:01:04.321Z and'),
      dismissed_at: null,
      after_seq: 0,
      gap_event_id: expect.stringMatching(/^evt_/),
    });
    const { id, began_at, ended_at, sentence } = outage!;
    const data = { state: 'ended', outage_id: id, began_at, ended_at, sentence };
    const event = { type: 'relay.downtime', data };
    expect(withoutGaps()).toEqual([event]);
    await stopFor(1_000);
    await hub.check();
    expect(withoutGaps()).toEqual([event]);
  });

  it('is not published by a daemon that was frozen for so long that another one may lead', async () => {
    await hub.connect();
    await hub.advance(20_000);
    const lease = jest.spyOn(hub.app.get(Leadership, { strict: false }), 'holdsLease').mockReturnValue(false);
    hub.workspace.clock.time += 60_000;
    await hub.check().catch(() => undefined);
    lease.mockRestore();
    expect(hub.published()).toEqual([]);
  });

  it('has its gap event before anything can be received', async () => {
    await hub.connect();
    await hub.receive(1);
    hub.workspace.clock.time += 1_000;
    await hub.close();
    hub.workspace.clock.time += 60_000;
    await hub.openModules();
    await hub.receive(2);
    await hub.begin();
    const [{ id, began_at, ended_at, sentence, gap_event_id: gapId } = {} as Outage] = await hub.list();
    const stored = hub.readRows<{ seq: number; type: string; at: number; body: Buffer }>(
      'SELECT seq, type, received_at AS at, body FROM events ORDER BY seq',
    );
    expect(stored.map(({ type }) => type)).toEqual([
      'deal.created',
      'relay.gap',
      'deal.created',
      'relay.downtime',
    ]);
    const [first, gap] = stored;
    expect(gapId).toBe(eventId(gap!.at, gap!.seq, hub.journal.instanceId));
    expect(JSON.parse(gap!.body.toString())).toEqual({
      event: 'relay.gap',
      timestamp: ended_at,
      webhook_id: null,
      data: {
        outage_id: id,
        kind: 'downtime',
        certainty: 'possible',
        began_at,
        ended_at,
        after_seq: 1,
        after_event_id: eventId(first!.at, 1, hub.journal.instanceId),
        repairable: ['deal'],
        not_repairable: ['contact', 'task', 'scenario', 'agent'],
        sentence,
      },
    });
  });

  it('has one gap event if a crash prevented that the outage was recorded', async () => {
    await hub.connect();
    const stoppedAt = hub.workspace.clock.time;
    await hub.close();
    hub.workspace.clock.time += 60_000;
    await hub.openModules();
    await hub.journal.change({
      statements: [
        ['DELETE FROM outages', []],
        ['UPDATE heartbeat SET at = ?', [stoppedAt]],
      ],
    });
    await hub.kill();
    hub.workspace.clock.time += 60_000;
    await hub.open();
    expect(hub.published().map(({ type }) => type)).toEqual(['relay.gap', 'relay.downtime']);
    expect(await hub.list()).toMatchObject([{ seconds: 120 }]);
  });

  it('is not recorded within the retry window of Co-Pilot', async () => {
    await hub.connect();
    await stopFor(RETRY_WINDOW_MS);
    expect(await hub.list()).toEqual([]);
    expect(hub.published()).toEqual([]);
  });

  it('is recorded from the last heartbeat if the daemon was killed', async () => {
    await hub.connect();
    await hub.advance(40_000);
    const heartbeatAt = hub.workspace.clock.time;
    hub.workspace.clock.time += 9_000;
    await stopFor(20_000, 'kill');
    expect(await hub.list()).toMatchObject([{ began_at: new Date(heartbeatAt).toISOString(), seconds: 29 }]);
  });

  it('is not recorded before a webhook is registered', async () => {
    await stopFor(3_600_000);
    expect(await hub.list()).toEqual([]);
    await hub.connect();
    await stopFor(3_600_000, 'kill');
    expect(await hub.list()).toHaveLength(1);
  });

  it('is not recorded while the webhook is paused at Co-Pilot', async () => {
    await hub.connect();
    await hub.actions.setPaused(true);
    await stopFor(3_600_000);
    expect(await hub.list()).toEqual([]);
    await hub.actions.setPaused(false);
    await stopFor(3_600_000);
    expect(await hub.list()).toHaveLength(1);
  });

  it('is not recorded when the clock is set back, and is then measured by the new time', async () => {
    await hub.connect();
    await stopFor(-3_600_000);
    await hub.advance(60_000);
    expect(await hub.list()).toEqual([]);
    await stopFor(60_000);
    expect(await hub.list()).toMatchObject([{ seconds: 60 }]);
  });

  it('is recorded if the machine was suspended', async () => {
    await hub.connect();
    hub.workspace.clock.time += 600_000;
    await hub.check();
    expect(await hub.list()).toMatchObject([{ kind: 'downtime', seconds: 600 }]);
  });

  it('can be dismissed permanently', async () => {
    await hub.connect();
    await stopFor(60_000);
    const [{ id } = { id: '' }] = await hub.list();
    const dismissed = await hub.outages.dismiss(id);
    expect(dismissed.dismissed_at).toBe(new Date(hub.workspace.clock.time).toISOString());
    hub.workspace.clock.time += 5_000;
    expect(await hub.outages.dismiss(id)).toEqual(dismissed);
    await stopFor(1_000);
    expect(await hub.list()).toEqual([dismissed]);
    await expect(hub.outages.dismiss(`out_${'0'.repeat(26)}`)).rejects.toMatchObject({
      code: 'outage_unknown',
    });
  });

  it('is listed in pages, newest first', async () => {
    await hub.connect();
    for (const seconds of [30, 40, 50]) await stopFor(seconds * 1_000);
    const first = await hub.outages.list(2, undefined);
    expect(first.data.map(({ seconds }) => seconds)).toEqual([50, 40]);
    const second = await hub.outages.list(2, first.next_cursor!);
    expect(second).toMatchObject({ data: [{ seconds: 30 }], next_cursor: null });
  });
});
