import { QueuePositionQuery } from '../../../src/relay/deliveries/queue/queue-position.query';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { storeDeliveries, storeTargets } from '../../support/daemon/delivery-lists';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import type { ScratchStore } from '../../support/daemon/scratch-journal';

onEachEngine('the position of a delivery in the queue', (openStore) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await openStore();
    await storeTargets(scratch);
  });

  afterEach(() => scratch.remove());

  it('counts what is due before it, and of other classes only their share', async () => {
    const { reader, clock } = scratch;
    const later = clock.now() + 60_000;
    await storeDeliveries(scratch, {
      newest: 60,
      deliveries: `SELECT e.seq, 1, 0, CASE WHEN e.seq = 60 THEN 'succeeded' ELSE 'pending' END, e.received_at
        FROM events e UNION ALL SELECT e.seq, 2, 0, 'pending', e.received_at FROM events e`,
    });
    // Live: 1 to 40, retries: 41 to 50, of which two are not due yet, replays: from 51.
    await scratch.exec(`UPDATE deliveries SET uncounted = CASE event_seq WHEN 49 THEN 1 ELSE 0 END,
      class = CASE WHEN event_seq <= 40 THEN 0 WHEN event_seq <= 50 THEN 1 ELSE 2 END,
      due_at = CASE WHEN state = 'succeeded' THEN NULL WHEN event_seq IN (49, 50) THEN ${later} ELSE event_seq END`);
    const positions = new QueuePositionQuery(reader, new TimeBounds(clock));
    const of = async (seq: number) => (await positions.of({ seq, target: 1, n: 0 })).ahead;
    expect(await of(1)).toBe(0);
    // 20 live ones; of the other classes a quarter and an eighth as many.
    expect(await of(21)).toBe(20 + 5 + 2);
    expect(await of(40)).toBe(39 + 8 + 5);
    // A replay: 8 live ones and 2 retries between two of them.
    expect(await of(51)).toBe(0 + 8 + 2);
    expect(await of(54)).toBe(3 + 32 + 8);
    expect(await of(60)).toBeNull();
    expect(await positions.of({ seq: 49, target: 1, n: 0 })).toMatchObject({ uncounted: 1, isMore: false });
  });
});
