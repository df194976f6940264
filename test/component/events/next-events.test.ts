import type { Following } from '../../../src/relay/events/following/next-events.query';
import { eventId, InstanceId, positionId } from '../../../src/relay/ground/ids';
import { FollowingHarness } from '../../support/daemon/following-harness';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START } from '../../support/daemon/scratch-journal';

const EVERYTHING: Following = { filters: {}, withBodies: false, limit: 200 };

onEachEngine('what follows a position', (open) => {
  let hub: FollowingHarness;
  beforeEach(async () => {
    hub = await FollowingHarness.on(await open());
  });
  afterEach(() => hub.close());

  const seqsAfter = async (after: string, following: Partial<Following> = {}) => {
    const from = await hub.next.resolve(after);
    const { events, position } = await hub.next.read({ ...EVERYTHING, ...following }, from);
    return { seqs: events.map(({ seq }) => seq), through: position.seq, accepted: position.accepted };
  };
  const lossAfter = (after: string) =>
    seqsAfter(after).then(
      () => null,
      ({ code, members }: { code: string; members?: object }) => ({ code, ...members }),
    );

  it('is in the order of seq, and a page continues behind the last event that was examined', async () => {
    await hub.append(6);
    expect(await seqsAfter('2', { limit: 2 })).toEqual({ seqs: [3, 4], through: 4, accepted: 0 });
    const ofEntity = await seqsAfter('oldest', { filters: { entity: 'deal:2' } });
    expect(ofEntity).toMatchObject({ seqs: [2], through: 6 });
    const byPayload = await seqsAfter('0', { filters: { payload: { 'data.id': 5 } } });
    expect(byPayload).toMatchObject({ seqs: [5], through: 6 });
    expect(await seqsAfter('newest')).toMatchObject({ seqs: [], through: 6 });
  });

  it('with the patterns of a target has system events only if they are named', async () => {
    await hub.append(1, { type: 'relay.disk.low' });
    await hub.store.journal.append(draft(2, { type: 'contact.created' }), () => []);
    expect((await seqsAfter('0', { types: ['*'] })).seqs).toEqual([2]);
    expect((await seqsAfter('0', { types: ['relay.*'] })).seqs).toEqual([1]);
    expect((await seqsAfter('0')).seqs).toEqual([1, 2]);
  });

  it('reports exactly how many events were removed, in whatever order, and each loss once', async () => {
    await hub.append(12);
    await hub.prune(1, 2, 3, 5, 6, 9);
    expect(await lossAfter('9')).toBeNull();
    expect(await lossAfter('6')).toMatchObject({ code: 'position_pruned', missed: 1 });
    const loss = await lossAfter('2');
    expect(loss).toMatchObject({ code: 'position_pruned', missed: 4 });

    const { oldest_cursor: cursor } = loss as unknown as { oldest_cursor: string };
    const first = await seqsAfter(cursor, { limit: 2 });
    expect(first).toMatchObject({ seqs: [4, 7], through: 7, accepted: 1 });
    const rest = positionId(first.through, first.accepted, hub.store.journal.instanceId);
    expect(await seqsAfter(rest)).toMatchObject({ seqs: [8, 10, 11, 12], through: 12, accepted: 0 });
    await hub.prune(8);
    expect(await lossAfter(rest)).toMatchObject({ code: 'position_pruned', missed: 1 });
  });

  it('from the oldest event on misses nothing', async () => {
    await hub.append(4);
    await hub.prune(1, 2);
    expect(await seqsAfter('oldest')).toMatchObject({ seqs: [3, 4], through: 4 });
  });

  it('is unknown for a position that is ahead, or an id of another instance', async () => {
    await hub.append(2);
    const { instanceId } = hub.store.journal;
    expect(await seqsAfter(eventId(START, 1, instanceId))).toMatchObject({ seqs: [2] });
    expect(await lossAfter('3')).toMatchObject({ code: 'position_unknown' });
    const other = eventId(START, 1, new InstanceId(instanceId.current + 1));
    expect(await lossAfter(other)).toMatchObject({ code: 'position_unknown' });
  });
});
