import { SYSTEM_EVENT_MINUTE } from '../../../src/relay/database/journal/identity';
import { until } from '../../support/until';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import {
  draft,
  IDENTITIES,
  ScratchJournal,
  START,
  to,
  type ScratchStore,
} from '../../support/daemon/scratch-journal';

const MIB = 1024 * 1024;

onEachEngine('appending events to the journal', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
  });

  afterEach(() => scratch.remove());

  const append = (n: number, targets: number[] = []) => scratch.journal.append(draft(n), to(...targets));

  const many = (from: number, end: number) =>
    Promise.all(Array.from({ length: end - from }, (_, i) => append(from + i)));

  it('commits concurrent events as one group, and those that arrive during the commit as the next', async () => {
    const first = [1, 2, 3].map((n) => append(n));
    await until('the first group is being written', () => scratch.groups.length === 0);
    await Promise.all(first);
    await Promise.all([4, 5].map((n) => append(n)));
    expect(scratch.groups.map(({ events }) => events.length)).toEqual([3, 2]);
  });

  it('lets those who append continue before commit listeners run, and other callers after them', async () => {
    const order: string[] = [];
    scratch.journal.onCommit(() => order.push('listener'));
    await append(1).then(() => order.push('append'));
    await scratch.journal.change({}).then(() => order.push('change'));
    expect(order).toEqual(['append', 'listener', 'listener', 'change']);
  });

  it('assigns seq in commit order, without gaps or duplicates, across groups and restarts', async () => {
    const outcomes = [];
    for (let wave = 0; wave < 5; wave += 1) {
      outcomes.push(...(await Promise.all(Array.from({ length: 40 }, (_, i) => append(wave * 40 + i)))));
    }
    await scratch.reopen();
    outcomes.push(await append(1_000));
    expect(outcomes.map((outcome) => ('seq' in outcome ? outcome.seq : null))).toEqual(
      Array.from({ length: 201 }, (_, i) => i + 1),
    );
    const published = scratch.groups.flatMap(({ events }) => events.map(({ seq }) => seq));
    expect(published).toEqual(published.toSorted((a, b) => a - b));
    expect(
      await scratch.rows('SELECT seq, entity FROM events WHERE seq IN (1, 200, 201) ORDER BY seq'),
    ).toEqual([
      { seq: 1, entity: 'deal:0' },
      { seq: 200, entity: 'deal:199' },
      { seq: 201, entity: 'deal:1000' },
    ]);
  });

  it('stores the bytes unchanged', async () => {
    const body = Buffer.from([0, 255, 10, 13, 0xc3, 0x28, 0]);
    const outcome = await scratch.journal.append(draft(1, { body }), to());
    expect(outcome.status).toBe('accepted');
    const [row] = await scratch.rows<{ body: Buffer }>('SELECT body FROM events');
    expect(row!.body.equals(body)).toBe(true);
  });

  it('returns the id of the first event for a duplicate in the same group, and stores one event', async () => {
    const [first, second, third] = await Promise.all([append(7, [1]), append(7, [1]), append(7, [1])]);
    expect(scratch.groups).toHaveLength(1);
    expect(first).toMatchObject({ status: 'accepted', seq: 1 });
    expect(second).toEqual({ ...first, status: 'duplicate' });
    expect(third).toEqual(second);
    expect([
      await scratch.count('events'),
      await scratch.count('deliveries'),
      await scratch.count('duplicates'),
    ]).toEqual([1, 1, 2]);
  });

  it('returns the id of the first event for a duplicate in a later group or after a restart', async () => {
    const first = await append(7, [1]);
    const again = await scratch.journal.append(draft(7), to(1));
    await scratch.reopen();
    const later = await scratch.journal.append({ ...draft(7), receivedAt: START + 30_000 }, to(1));
    expect([again, later]).toEqual([
      { ...first, status: 'duplicate' },
      { ...first, status: 'duplicate' },
    ]);
    expect([await scratch.count('events'), await scratch.count('deliveries')]).toEqual([1, 1]);
    expect(await scratch.rows('SELECT event_seq, n, received_at FROM duplicates ORDER BY n')).toEqual([
      { event_seq: 1, n: 1, received_at: START },
      { event_seq: 1, n: 2, received_at: START + 30_000 },
    ]);
  });

  it('takes a system event that is published again for known, not for a duplicate', async () => {
    const identity = { ...draft(7).identity, minute: SYSTEM_EVENT_MINUTE };
    const first = await scratch.journal.append(draft(7, { identity }), to(1));
    await scratch.reopen();
    const again = await scratch.journal.append(draft(7, { identity }), () =>
      to(1)().map((planned) => ({ ...planned, takesDuplicates: true })),
    );
    expect(again).toEqual({ ...first, status: 'duplicate' });
    expect([await scratch.count('duplicates'), await scratch.count('deliveries')]).toEqual([0, 1]);
  });

  it('stores the same bytes with another minute as another event', async () => {
    const { minute, hash } = draft(7).identity;
    await append(7);
    const other = await scratch.journal.append(draft(7, { identity: { minute: minute + 1, hash } }), to());
    expect(other).toMatchObject({ status: 'accepted', seq: 2 });
  });

  it('treats the same bytes without a readable timestamp as a duplicate for ten minutes', async () => {
    const undated = { ...draft(7), identity: { ...draft(7).identity, minute: 0 } };
    const send = (ms: number) => scratch.journal.append({ ...undated, receivedAt: START + ms }, to(1));
    expect(await send(0)).toMatchObject({ status: 'accepted', seq: 1 });
    expect(await send(600_000)).toMatchObject({ status: 'duplicate', seq: 1 });
    expect(await send(600_001)).toMatchObject({ status: 'accepted', seq: 2 });
    expect(await send(625_000)).toMatchObject({ status: 'duplicate', seq: 2 });
    expect([await scratch.count('events'), await scratch.count(IDENTITIES)]).toEqual([2, 1]);
  });

  it('treats the same system event as a duplicate for as long as the first is stored', async () => {
    const system = { ...draft(7), identity: { ...draft(7).identity, minute: -1 } };
    await scratch.journal.append(system, to());
    const later = await scratch.journal.append({ ...system, receivedAt: START + 40 * 86_400_000 }, to());
    expect(later).toMatchObject({ status: 'duplicate', seq: 1 });
  });

  it('writes a delivery for each planned target in the transaction of the event', async () => {
    await append(1, [3, 5]);
    expect(await scratch.rows('SELECT event_seq, target_id, n, state, due_at FROM deliveries')).toEqual([
      { event_seq: 1, target_id: 3, n: 0, state: 'pending', due_at: START },
      { event_seq: 1, target_id: 5, n: 0, state: 'pending', due_at: START },
    ]);
    const [group] = scratch.groups;
    expect(group!.events).toMatchObject([{ seq: 1, planned: [{ target: 3 }, { target: 5 }] }]);
  });

  it('chooses targets when the group is formed: a target removed by an earlier change gets no delivery', async () => {
    let targets = [1];
    const planned: string[] = [];
    const removing = scratch.journal
      .change({ statements: [['UPDATE instance SET key_check = ? WHERE id = 1', ['removed']]] })
      .then(() => (targets = []));
    // By now the change is being written; this event belongs to the next group.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const appending = scratch.journal.append(draft(1), () => {
      planned.push(targets.join());
      return to(...targets)();
    });
    await Promise.all([removing, appending]);
    expect(scratch.groups).toHaveLength(2);
    expect(planned).toEqual(['']);
    expect(await scratch.count('deliveries')).toBe(0);
  });

  it('rejects an event that has waited for four seconds, and never stores it', async () => {
    const release = await scratch.holdWriter();
    const first = append(1);
    await new Promise<void>((resolve) => setImmediate(resolve));
    const waiting = append(2, [1]);
    scratch.clock.time += 4_000;
    expect(await waiting).toEqual({ status: 'not_stored', reason: 'late' });
    release();
    expect(await first).toMatchObject({ status: 'accepted' });
    const onTime = await scratch.journal.append(draft(3, { receivedAt: scratch.clock.time }), to());
    expect(onTime).toMatchObject({ status: 'accepted', seq: 2 });
    expect(await scratch.rows('SELECT entity FROM events ORDER BY seq')).toEqual([
      { entity: 'deal:1' },
      { entity: 'deal:3' },
    ]);
    expect([await scratch.count(IDENTITIES), await scratch.count('deliveries')]).toEqual([2, 0]);
    // The same bytes are accepted when Co-Pilot sends them again.
    const again = await scratch.journal.append({ ...draft(2), receivedAt: scratch.clock.time }, to(1));
    expect(again).toMatchObject({ status: 'accepted', seq: 3 });
  });

  it('accepts an event that has waited for just under four seconds', async () => {
    const onTime = append(1);
    scratch.clock.time += 3_999;
    expect(await onTime).toMatchObject({ status: 'accepted' });
  });

  it('rejects an event that is already late when its group is formed', async () => {
    scratch.clock.time += 4_000;
    expect(await scratch.journal.append(draft(1), to(), START)).toEqual({
      status: 'not_stored',
      reason: 'late',
    });
    expect([await scratch.count('events'), await scratch.count(IDENTITIES)]).toEqual([0, 0]);
  });

  it('rejects events beyond 64 MiB in the queue, stores the others in bounded groups, then accepts more', async () => {
    const body = Buffer.alloc(MIB, 'x');
    const outcomes = await Promise.all(
      Array.from({ length: 66 }, (_, n) => scratch.journal.append(draft(n, { body }), to())),
    );
    expect(outcomes.filter(({ status }) => status === 'accepted')).toHaveLength(64);
    expect(outcomes.slice(64)).toEqual([
      { status: 'not_stored', reason: 'overload' },
      { status: 'not_stored', reason: 'overload' },
    ]);
    expect(scratch.groups.map(({ events }) => events.length)).toEqual(Array.from({ length: 8 }, () => 8));
    expect(await scratch.count('events')).toBe(64);
    expect(await scratch.journal.append(draft(65, { body }), to())).toMatchObject({ status: 'accepted' });
  });

  it('adds events to the type and entity indexes in passes of a thousand', async () => {
    await many(0, 999);
    expect(await scratch.count('event_types')).toBe(0);
    await many(999, 1_500);
    const indexed = async () =>
      (await scratch.rows<{ through: number }>('SELECT indexed_through AS through FROM instance'))[0]!;
    await until('the first thousand is indexed', async () => (await indexed()).through === 1_000);
    expect([await scratch.count('event_types'), await scratch.count('event_entities')]).toEqual([
      1_000, 1_000,
    ]);
    await scratch.reopen();
    await many(1_500, 2_000);
    await until('the second thousand is indexed', async () => (await indexed()).through === 2_000);
    expect(
      await scratch.rows(
        `SELECT (SELECT count(*) FROM event_types) AS types, (SELECT count(*) FROM event_entities) AS entities,
           (SELECT count(*) FROM events e JOIN event_entities x ON x.seq = e.seq AND x.entity = e.entity
              JOIN event_types y ON y.seq = e.seq AND y.type = e.type) AS right`,
      ),
    ).toEqual([{ types: 2_000, entities: 2_000, right: 2_000 }]);
  });
});

it('the journal on SQLite writes with PRAGMA synchronous at FULL, so that what is committed is on disk', async () => {
  const scratch = await ScratchJournal.openWithThreads();
  expect(scratch.journal).toMatchObject({ synchronous: 2 });
  await scratch.remove();
});

it('the journal on SQLite recognizes a duplicate whether or not its identity has been sorted, also after a restart', async () => {
  const scratch = await ScratchJournal.open();
  const append = (n: number) => scratch.journal.append(draft(n), to());
  const many = (from: number, end: number) =>
    Promise.all(Array.from({ length: end - from }, (_, i) => append(from + i)));
  for (let from = 1; from <= 1_100; from += 110) await many(from, from + 110);
  await until('a pass has sorted the oldest', () => scratch.count('identities') >= 1_000);
  expect(scratch.count('recent_identities')).toBeGreaterThan(0);
  const duplicates = [
    { status: 'duplicate', seq: 1 },
    { status: 'duplicate', seq: 1_100 },
  ];
  expect([await append(1), await append(1_100)]).toMatchObject(duplicates);
  await scratch.reopen();
  expect([await append(1), await append(1_100)]).toMatchObject(duplicates);
  expect([scratch.count('events'), scratch.count(IDENTITIES)]).toEqual([1_100, 1_100]);
  await scratch.remove();
});
