import { FakeCopilot } from '../../support/fakes/copilot';
import { clearPremises, makePremises, type Premises } from '../connection/connection-fixture';
import { OutagesStand } from './outages-fixture';

/** The last attempt of the document's 0, 5, 25 seconds, counted from the first. */
const REACH_MS = 25_000;

describe('a window in which nothing could be received', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let hub: OutagesStand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    hub = await OutagesStand.open(premises, upstream);
  });
  afterEach(async () => {
    await hub.stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  /** Ends, by a stop or a kill, and comes back after so long. */
  const away = async (ms: number, end: 'close' | 'kill' = 'close') => {
    await hub.stand[end]();
    premises.clock.time += ms;
    hub = await OutagesStand.open(premises, upstream);
  };

  it('is kept from the stop to the start, where it is longer than Co-Pilot tries again, and told once', async () => {
    await hub.connect(upstream);
    await hub.pass(60_000);
    premises.clock.time += 4_321;
    const stoppedAt = premises.clock.time;
    await away(REACH_MS + 1);
    const [window, ...others] = await hub.list();
    expect(others).toEqual([]);
    expect(window).toEqual({
      id: expect.stringMatching(/^out_[0-9a-z]{26}$/),
      kind: 'downtime',
      began_at: new Date(stoppedAt).toISOString(),
      ended_at: new Date(stoppedAt + REACH_MS + 1).toISOString(),
      seconds: 25,
      sentence: expect.stringContaining('Events may have been missed between 2026-11-20T12:01:04.321Z and'),
      dismissed_at: null,
    });
    const { id, kind: _, seconds: __, dismissed_at: ___, ...facts } = window!;
    const event = { type: 'relay.downtime', data: { state: 'ended', outage_id: id, ...facts } };
    expect(hub.told()).toEqual([event]);
    await away(1_000);
    await hub.look();
    expect(hub.told()).toEqual([event]);
  });

  it('is not kept where Co-Pilot still tried again', async () => {
    await hub.connect(upstream);
    await away(REACH_MS);
    expect(await hub.list()).toEqual([]);
  });

  it('is kept from the last beat on where the daemon was killed', async () => {
    await hub.connect(upstream);
    await hub.pass(40_000);
    const beatAt = premises.clock.time;
    premises.clock.time += 9_000;
    await away(20_000, 'kill');
    expect(await hub.list()).toMatchObject([{ began_at: new Date(beatAt).toISOString(), seconds: 29 }]);
  });

  it('counts nothing before a webhook is registered', async () => {
    await away(3_600_000);
    expect(await hub.list()).toEqual([]);
    await hub.connect(upstream);
    await away(3_600_000, 'kill');
    expect(await hub.list()).toHaveLength(1);
  });

  it('counts nothing while the webhook is paused at Co-Pilot', async () => {
    await hub.connect(upstream);
    await hub.stand.subscription.setPaused(true);
    await away(3_600_000);
    expect(await hub.list()).toEqual([]);
    await hub.stand.subscription.setPaused(false);
    await away(3_600_000);
    expect(await hub.list()).toHaveLength(1);
  });

  it('is none where the clock was set back, and counts from there on', async () => {
    await hub.connect(upstream);
    await away(-3_600_000);
    await hub.pass(60_000);
    expect(await hub.list()).toEqual([]);
    await away(60_000);
    expect(await hub.list()).toMatchObject([{ seconds: 60 }]);
  });

  it('is kept where the machine slept', async () => {
    await hub.connect(upstream);
    premises.clock.time += 600_000;
    await hub.look();
    expect(await hub.list()).toMatchObject([{ kind: 'downtime', seconds: 600 }]);
  });

  it('can be dismissed, for good', async () => {
    await hub.connect(upstream);
    await away(60_000);
    const [{ id } = { id: '' }] = await hub.list();
    const dismissed = await hub.outages.dismiss(id);
    expect(dismissed.dismissed_at).toBe(new Date(premises.clock.time).toISOString());
    premises.clock.time += 5_000;
    expect(await hub.outages.dismiss(id)).toEqual(dismissed);
    await away(1_000);
    expect(await hub.list()).toEqual([dismissed]);
    await expect(hub.outages.dismiss(`out_${'0'.repeat(26)}`)).rejects.toMatchObject({
      code: 'outage_unknown',
    });
  });

  it('is listed a page at a time, newest first', async () => {
    await hub.connect(upstream);
    for (const seconds of [30, 40, 50]) await away(seconds * 1_000);
    const first = await hub.outages.list(2, undefined);
    expect(first.data.map(({ seconds }) => seconds)).toEqual([50, 40]);
    const second = await hub.outages.list(2, first.next_cursor!);
    expect(second).toMatchObject({ data: [{ seconds: 30 }], next_cursor: null });
  });
});
