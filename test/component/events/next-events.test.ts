import type { DataSource } from 'typeorm';
import { EventEntity } from '../../../src/relay/events/event.entity';
import { NextEventsQuery, type Following } from '../../../src/relay/events/following/next-events.query';
import { EventIndexes } from '../../../src/relay/events/search/event-indexes';
import { FindEventsQuery } from '../../../src/relay/events/search/find-events.query';
import { MatchingEventsQuery } from '../../../src/relay/events/search/matching-events.query';
import { ReadFieldsQuery } from '../../../src/relay/events/search/read-fields.query';
import { eventId, InstanceId, positionId } from '../../../src/relay/ground/ids';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START, type ScratchStore } from '../../support/daemon/scratch-journal';

const EVERYTHING: Following = { filters: {}, withBodies: false, limit: 200 };

onEachEngine('what follows a position', (open) => {
  let store: ScratchStore;
  let source: DataSource;
  let next: NextEventsQuery;

  beforeEach(async () => {
    store = await open();
    source = await store.openSource([EventEntity]);
    const { reader, journal } = store;
    const matching = new MatchingEventsQuery(source, reader, new EventIndexes(source, reader, null as never));
    const fields = new ReadFieldsQuery(reader);
    const finder = new FindEventsQuery(source, reader, journal, matching, fields);
    next = new NextEventsQuery(reader, journal, finder, fields);
  });
  afterEach(async () => {
    await source.destroy();
    await store.remove();
  });

  const append = (count: number, parts = {}) =>
    Promise.all(Array.from({ length: count }, (_, i) => store.journal.append(draft(i + 1, parts), () => [])));
  const prune = (...seqs: number[]) => store.journal.prune({ seqs, removeIdentitiesBefore: null });
  const seqsAfter = async (after: string, following: Partial<Following> = {}) => {
    const { events, position } = await next.read({ ...EVERYTHING, ...following }, await next.resolve(after));
    return { seqs: events.map(({ seq }) => seq), through: position.seq, accepted: position.accepted };
  };
  const lossAfter = (after: string) =>
    seqsAfter(after).then(
      () => null,
      ({ code, members }: { code: string; members?: object }) => ({ code, ...members }),
    );

  it('is in the order of seq, and a page continues behind the last event that was examined', async () => {
    await append(6);
    expect(await seqsAfter('2', { limit: 2 })).toEqual({ seqs: [3, 4], through: 4, accepted: 0 });
    expect(await seqsAfter('oldest', { filters: { entity: 'deal:2' } })).toMatchObject({
      seqs: [2],
      through: 6,
    });
    expect(await seqsAfter('0', { filters: { payload: { 'data.id': 5 } } })).toMatchObject({
      seqs: [5],
      through: 6,
    });
    expect(await seqsAfter('newest')).toMatchObject({ seqs: [], through: 6 });
  });

  it('with the patterns of a target has system events only if they are named', async () => {
    await append(1, { type: 'relay.disk.low' });
    await store.journal.append(draft(2, { type: 'contact.created' }), () => []);
    expect((await seqsAfter('0', { types: ['*'] })).seqs).toEqual([2]);
    expect((await seqsAfter('0', { types: ['relay.*'] })).seqs).toEqual([1]);
    expect((await seqsAfter('0')).seqs).toEqual([1, 2]);
  });

  it('reports exactly how many events were removed, in whatever order, and each loss once', async () => {
    await append(12);
    await prune(1, 2, 3, 5, 6, 9);
    expect(await lossAfter('9')).toBeNull();
    expect(await lossAfter('6')).toMatchObject({ code: 'position_pruned', missed: 1 });
    const loss = await lossAfter('2');
    expect(loss).toMatchObject({ code: 'position_pruned', missed: 4 });

    const { oldest_cursor: cursor } = loss as unknown as { oldest_cursor: string };
    const first = await seqsAfter(cursor, { limit: 2 });
    expect(first).toMatchObject({ seqs: [4, 7], through: 7, accepted: 1 });
    const rest = positionId(first.through, first.accepted, store.journal.instanceId);
    expect(await seqsAfter(rest)).toMatchObject({ seqs: [8, 10, 11, 12], through: 12, accepted: 0 });
    await prune(8);
    expect(await lossAfter(rest)).toMatchObject({ code: 'position_pruned', missed: 1 });
  });

  it('from the oldest event on misses nothing', async () => {
    await append(4);
    await prune(1, 2);
    expect(await seqsAfter('oldest')).toMatchObject({ seqs: [3, 4], through: 4 });
  });

  it('is unknown for a position that is ahead, or an id of another instance', async () => {
    await append(2);
    const own = eventId(START, 1, store.journal.instanceId);
    expect(await seqsAfter(own)).toMatchObject({ seqs: [2] });
    expect(await lossAfter('3')).toMatchObject({ code: 'position_unknown' });
    const other = eventId(START, 1, new InstanceId(store.journal.instanceId.current + 1));
    expect(await lossAfter(other)).toMatchObject({ code: 'position_unknown' });
  });
});
