import { GAP_EVENT } from '../../../src/contract/constants';
import type { PlannedDelivery } from '../../../src/relay/database/journal/journal';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, to, type ScratchStore } from '../../support/daemon/scratch-journal';

/** More than are indexed in one pass. */
const MANY = 1_100;

onEachEngine('the gaps before an event', (open) => {
  let scratch: ScratchStore;
  let n: number;
  beforeEach(async () => {
    scratch = await open();
    n = 0;
  });
  afterEach(() => scratch.remove());

  const append = async (entity: string | null, plan: () => PlannedDelivery[], type = 'deal.updated') => {
    n += 1;
    await scratch.journal.append(draft(n, { type, entity, body: Buffer.from(`${n}`) }), plan);
    return n;
  };
  const deal = (target = 1, entity = 'deal:1') => append(entity, to(target));
  const gap = (...targets: number[]) => append(null, to(...targets), GAP_EVENT);
  const gapsBefore = async (seq: number, target = 1, entity = 'deal:1') =>
    (await scratch.journal.readGapsBefore(seq, target, entity)).map((body) =>
      Number(Buffer.from(body).toString()),
    );

  it('are those since the last event of its entity, all of them', async () => {
    const first = await deal();
    const gaps = [await gap(1), await gap(1)];
    const second = await deal();
    expect(await gapsBefore(first)).toEqual([]);
    expect(await gapsBefore(second)).toEqual(gaps);
    expect(await gapsBefore(await deal())).toEqual([]);
    expect(await gapsBefore(await deal(1, 'deal:2'), 1, 'deal:2')).toEqual([]);
  });

  it('are the same once the events are indexed', async () => {
    const first = await deal();
    const only = await gap(1);
    const [second, third] = [await deal(), await deal()];
    await Promise.all(Array.from({ length: MANY }, () => deal(2, 'deal:2')));
    const fourth = await deal();
    expect(await gapsBefore(first)).toEqual([]);
    expect(await gapsBefore(second)).toEqual([only]);
    expect(await gapsBefore(third)).toEqual([]);
    expect(await gapsBefore(fourth)).toEqual([]);
    const later = await gap(1);
    expect(await gapsBefore(await deal())).toEqual([later]);
    expect(await gapsBefore(await deal())).toEqual([]);
  });

  it('are those that the target receives, between two events that are sent to it', async () => {
    await deal();
    await gap(2);
    expect(await gapsBefore(await deal())).toEqual([]);
    const own = await gap(1, 2);
    // Of the same entity, but for another target.
    await deal(2);
    expect(await gapsBefore(await deal())).toEqual([own]);
  });

  it('do not end with an event that was not delivered', async () => {
    await deal();
    const only = await gap(1);
    const [dead, cancelled] = [await deal(), await deal()];
    await scratch.journal.saveResult(result(dead, 1, { state: 'dead' }));
    await scratch.journal.change({
      end: [{ key: { seq: cancelled, target: 1, n: 0 }, note: 'Cancelled.', at: scratch.clock.now() }],
    });
    expect(await gapsBefore(await deal())).toEqual([only]);
  });
});
