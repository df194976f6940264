import { FollowingHarness, OPERATOR } from '../../support/daemon/following-harness';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START } from '../../support/daemon/scratch-journal';

const SECOND = 1_000;

/** What a call was refused with; null if it was not. */
const rejected = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ code, members }: { code: string; members?: object }) => ({ code, ...members }),
  );

onEachEngine('a consumer', (open) => {
  let hub: FollowingHarness;
  beforeEach(async () => {
    hub = await FollowingHarness.on(await open());
  });
  afterEach(() => hub.close());

  it('is read from its committed position on, also after a restart', async () => {
    await hub.append(3);
    await hub.create({ name: 'orders', start: 'oldest' });
    const { seqs, lease } = await hub.read('orders');
    expect(seqs).toEqual([1, 2, 3]);
    expect((await hub.read('orders', { lease })).seqs).toEqual([1, 2, 3]);
    await hub.commit('orders', lease, 2);
    await hub.restart();
    expect(await rejected(hub.read('orders'))).toMatchObject({ code: 'consumer_leased' });
    expect((await hub.read('orders', { lease })).seqs).toEqual([3]);
    expect(await hub.state('orders')).toMatchObject({ lag: 1, missed: 0, lease: { holder: 'operator' } });
  });

  it('is not read where another daemon may lead, and have moved its position', async () => {
    await hub.append(1);
    await hub.create({ name: 'orders', start: 'oldest' });
    const { lease } = await hub.read('orders');
    hub.holdsLease = false;
    expect(await rejected(hub.read('orders', { lease }))).toEqual({ code: 'not_leader' });
  });

  it('can be read ahead of what is committed', async () => {
    await hub.append(3);
    await hub.create({ name: 'orders', start: 'oldest' });
    const first = await hub.read('orders', { limit: 1 });
    const { lease } = first;
    expect((await hub.read('orders', { lease, after: first.end })).seqs).toEqual([2, 3]);
    expect((await hub.read('orders', { lease })).seqs).toEqual([1, 2, 3]);
  });

  it('moves its position over events that do not match, but not when it is read ahead', async () => {
    await hub.create({ name: 'rare', types: ['contact.*'] });
    await hub.append(2);
    const { lease } = await hub.read('rare', { after: '1' });
    expect(await hub.state('rare')).toMatchObject({ lag: 2 });
    expect((await hub.read('rare', { lease })).seqs).toEqual([]);
    expect(await hub.state('rare')).toMatchObject({ lag: 0, oldest_unread_at: null });
    await hub.restart();
    expect(await hub.state('rare')).toMatchObject({ lag: 0 });
  });

  it('has one reader, until its lease ends or is taken over; then the former one can no longer commit', async () => {
    await hub.append(2);
    await hub.create({ name: 'orders', start: 'oldest' });
    const frozen = await hub.read('orders', { lease_s: 10 });
    expect(await rejected(hub.read('orders'))).toEqual({
      code: 'consumer_leased',
      lease: {
        holder: 'operator',
        address: '127.0.0.1',
        until: new Date(hub.store.clock.now() + 10 * SECOND).toISOString(),
      },
    });
    hub.store.clock.time += 10 * SECOND;
    expect(await hub.state('orders')).toMatchObject({ lease: null });
    const second = await hub.read('orders');
    expect(second.seqs).toEqual([1, 2]);
    expect(await rejected(hub.commit('orders', frozen.lease, 2))).toEqual({ code: 'lease_lost' });
    const third = await hub.read('orders', { take_over: true });
    expect(await rejected(hub.read('orders', { lease: second.lease }))).toEqual({ code: 'lease_lost' });
    expect(third.seqs).toEqual([1, 2]);
  });

  it('answers a reader that waits while another takes over with the loss of its lease', async () => {
    await hub.create({ name: 'orders' });
    const first = await hub.read('orders');
    const waiting = rejected(hub.read('orders', { lease: first.lease, wait: 30 }));
    const second = await hub.read('orders', { take_over: true });
    await hub.append(1);
    expect(await waiting).toEqual({ code: 'lease_lost' });
    expect((await hub.read('orders', { lease: second.lease })).seqs).toEqual([1]);
  });

  it('commits forward only', async () => {
    await hub.append(3);
    await hub.create({ name: 'orders', start: 'oldest' });
    const { lease } = await hub.read('orders');
    const commits = [1, 3, 3].map((position) => hub.commit('orders', lease, position));
    const [, second, again] = await Promise.all(commits);
    expect(again).toEqual(second);
    expect(await rejected(hub.commit('orders', lease, 2))).toEqual({ code: 'position_behind' });
    expect(await rejected(hub.commit('orders', lease, 4))).toEqual({ code: 'position_unknown' });
  });

  it('says exactly what it has lost, and continues behind it after a reset', async () => {
    await hub.append(8);
    await hub.create({ name: 'orders', start: 'oldest' });
    const { lease } = await hub.read('orders');
    await hub.commit('orders', lease, 2);
    await hub.prune(1, 2, 3, 5, 6);
    expect(await hub.state('orders')).toMatchObject({ lag: 3, missed: 3 });
    const loss = await rejected(hub.read('orders', { lease }));
    expect(loss).toMatchObject({ code: 'position_pruned', missed: 3 });

    await hub.consumers.reset(
      'orders',
      (loss as unknown as { oldest_cursor: string }).oldest_cursor,
      OPERATOR,
    );
    expect(await rejected(hub.commit('orders', lease, 4))).toEqual({ code: 'lease_lost' });
    const next = await hub.read('orders');
    expect(next.seqs).toEqual([4, 7, 8]);
    await hub.commit('orders', next.lease, 4);
    expect((await hub.read('orders', { lease: next.lease })).seqs).toEqual([7, 8]);
    expect(await hub.state('orders')).toMatchObject({ lag: 2, missed: 0 });
    await hub.consumers.reset('orders', 'oldest', OPERATOR);
    expect((await hub.read('orders')).seqs).toEqual([4, 7, 8]);
  });

  it('cannot start beyond the newest event, as it would skip those that follow', async () => {
    await hub.append(2);
    expect(await rejected(hub.create({ name: 'orders', start: '3' }))).toEqual({ code: 'position_unknown' });
    await hub.create({ name: 'orders', start: '2' });
    await hub.store.journal.append(draft(3), () => []);
    expect((await hub.read('orders')).seqs).toEqual([3]);
  });

  it('can start at a time', async () => {
    await hub.append(2);
    await hub.store.journal.append(draft(3, { receivedAt: START + 60 * SECOND }), () => []);
    await hub.create({ name: 'recent', start: new Date(START + SECOND).toISOString() });
    expect((await hub.read('recent')).seqs).toEqual([3]);
  });

  it('is shown with its unread events, as idle, and as new before its first commit', async () => {
    await hub.append(1);
    await hub.create({ name: 'orders', start: 'oldest' });
    expect(await hub.state('orders')).toMatchObject({
      position: null,
      lag: 1,
      idle: false,
      last_read_at: null,
      oldest_unread_at: new Date(START).toISOString(),
      created_by: OPERATOR.actor,
    });
    hub.store.clock.time += 31 * 86_400 * SECOND;
    expect(await hub.state('orders')).toMatchObject({ idle: true });
  });
});
