import type { DeliveryQuery } from '../../../src/contract/delivery';
import { matchesPattern } from '../../../src/relay/database/reading/dialect';
import { bodyConditions } from '../../../src/relay/filters/body-conditions';
import { DuplicatesService } from '../../../src/relay/events/duplicates.service';
import type { DeliveryKey } from '../../../src/relay/ground/ids';
import { ENTITIES } from '../../../src/relay/relay.module';
import { ReplaysService } from '../../../src/relay/replays/replays.service';
import {
  DELIVERED,
  DeliveryLists,
  idOf,
  STATES,
  storeDeliveries,
  storeTargets,
} from '../../support/daemon/delivery-lists';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';
import { until } from '../../support/until';

/** SQL: a state that depends on event `e`, target `t` and number `n`, most often a successful one. */
const ANY_STATE = `CASE (e.seq * 7 + t.number * 5 + n.n * 3) % 10 ${STATES.map((state, i) => `WHEN ${i} THEN '${state}'`).join(' ')} ELSE 'succeeded' END`;

const WITHOUT_DELIVERIES = 4;

const newestFirst = (a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1);

/** All pages of a list together. */
async function readPages<Item>(
  read: (cursor?: string) => Promise<{ data: Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | undefined = undefined, pages = 0; ; pages += 1) {
    if (pages > 500) throw new Error('The pages do not end.');
    const page = await read(cursor);
    found.push(...page.data);
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}

const nothing = {} as never;

onEachEngine('lists', (openStore) => {
  let scratch: ScratchStore;
  let lists: DeliveryLists | undefined;

  beforeEach(async () => {
    scratch = await openStore();
    await storeTargets(scratch);
  });

  afterEach(async () => {
    await lists?.close();
    lists = undefined;
    await scratch.remove();
  });

  const open = async () => (lists = await DeliveryLists.open(scratch));

  const delaysOf = async (deliveries: string) => {
    await storeDeliveries(scratch, { newest: 50, deliveries });
    return (await open()).delays;
  };

  /** A list of deliveries from a single query. */
  async function listDirectly(
    { deliveries, inFlight }: DeliveryLists,
    { target, status, type, error, since }: Partial<DeliveryQuery>,
  ): Promise<string[]> {
    const inFlightRows = `(event_seq, target_id, n) IN (VALUES ${inFlight.map(({ seq, target: at, n }) => `(${seq}, ${at}, ${n})`).join(', ')})`;
    const conditions = [
      target && `target_id = ${target.charAt(4)}`,
      status && (status === 'in_flight' ? inFlightRows : `state = '${status}'`),
      type && matchesPattern('type', `'${type}'`),
      error && `last_error = '${error}'`,
      since && `created_at >= ${since}`,
    ].filter(Boolean);
    const rows = await scratch.rows<DeliveryKey>(
      `SELECT event_seq AS seq, target_id AS target, n FROM deliveries d JOIN events e ON e.seq = d.event_seq
       WHERE ${conditions.join(' AND ') || '1 = 1'}`,
    );
    return (await deliveries.byKeys(rows)).toSorted(newestFirst).map(({ id }) => id);
  }

  describe('a list of deliveries', () => {
    it('is complete and ordered for all filters, pages and states of the index', async () => {
      await storeDeliveries(scratch, {
        newest: 160,
        deliveries: `SELECT e.seq, t.number, n.n, ${ANY_STATE}, e.received_at
          FROM events e, targets t, (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2) n
          WHERE t.number <> ${WITHOUT_DELIVERIES} AND (e.seq / 3 + t.number) % (n.n * 4 + 3) = 0`,
        indexedThrough: 100,
      });
      const opened = await open();
      opened.inFlight = await scratch.rows<DeliveryKey>(
        `SELECT event_seq AS seq, target_id AS target, n FROM deliveries WHERE state = 'pending' ORDER BY event_seq LIMIT 9`,
      );
      const queries: Partial<DeliveryQuery>[] = [{ target: idOf(WITHOUT_DELIVERIES) }];
      for (const target of [undefined, 1])
        for (const status of [undefined, 'in_flight', ...STATES] as const)
          for (const rest of [
            {},
            { type: 'contact.*' },
            { type: 'task.created' },
            { error: 'tls' },
            { since: START + 80 },
          ] as const)
            queries.push({ ...(target && { target: idOf(target) }), ...(status && { status }), ...rest });
      for (const query of queries) {
        const listed = await readPages((cursor) => opened.deliveries.find({ ...query, limit: 12, cursor }));
        const found = listed.map(({ id }) => id);
        expect({ query, found }).toEqual({ query, found: await listDirectly(opened, query) });
      }
    });
  });

  describe('a text in bodies', () => {
    it('is found in any case and coding, also where a body is not JSON', async () => {
      const bodies = [
        Buffer.from('{"name":"Виктор Соколов"}'),
        Buffer.from('{"name":"\\u0421\\u043e\\u043a\\u043e\\u043b\\u043e\\u0432","id":9007199254740993}'),
        Buffer.from('\uFEFF{"name":"ÉCOLE"}'),
        Buffer.from('{"name":"E\u0301cole\\u0000x"}'),
        Buffer.from([...Buffer.from('école '), 0xff, 0, 0x78]),
      ];
      for (const [i, body] of bodies.entries()) await scratch.journal.append(draft(i, { body }), () => []);
      const seqs = bodies.map((_, i) => i + 1);
      const found = async (conditions: Parameters<typeof bodyConditions>[0]) =>
        (await scratch.reader.matchBodies(seqs, [bodyConditions(conditions)!])).map(({ key }) => key);
      expect(await found({ q: 'СОКОЛОВ' })).toEqual([1, 2]);
      expect(await found({ q: 'соколов', payload: { id: '9007199254740993' } })).toEqual([2]);
      expect(await found({ q: 'École' })).toEqual([3, 4, 5]);
      expect(await found({ q: '"name": "école"' })).toEqual([3]);
    });
  });

  describe('a list of duplicates', () => {
    it('of one state is complete and ordered, the newest first', async () => {
      await scratch.exec(`INSERT INTO duplicates(event_seq, n, received_at, state) VALUES
        (1, 1, 10, 'released'), (1, 2, 30, 'held'), (1, 3, 30, 'released'), (1, 10, 30, 'released'),
        (2, 1, 20, 'released'), (2, 2, 40, 'dismissed'), (3, 1, 30, 'released')`);
      const source = await scratch.openSource(ENTITIES);
      const { reader, journal, clock } = scratch;
      const events = { bySeqs: async (seqs: number[]) => seqs.map((seq) => ({ seq, id: seq })) };
      const duplicates = new DuplicatesService(
        source,
        reader,
        journal,
        events as never,
        nothing,
        clock,
        nothing,
      );
      const found = await readPages((cursor) => duplicates.list({ state: 'released', limit: 2, cursor }));
      expect(found.map(({ event_id: event, n }) => [event, n])).toEqual([
        [3, 1],
        [1, 10],
        [1, 3],
        [2, 1],
        [1, 1],
      ]);
      await source.destroy();
    });
  });

  describe('a list of replays', () => {
    it('is complete and ordered over all pages, the newest first', async () => {
      for (const n of [1, 2, 3, 4, 5])
        await scratch.exec(`INSERT INTO replays(id, state, filter, rate, until_seq, position, total, created_at)
          VALUES ('rpl_${n}', 'completed', '{}', '"as_fast_as_allowed"', 0, 0, 0, ${n % 3})`);
      const source = await scratch.openSource(ENTITIES);
      const { reader, journal, clock } = scratch;
      const worker = { speed: () => ({}) } as never;
      const paused = { waitedFor: async () => new Map() } as never;
      const replays = new ReplaysService(
        source,
        reader,
        journal,
        nothing,
        worker,
        paused,
        clock,
        nothing,
        nothing,
      );
      const found = await readPages((cursor) => replays.list({ limit: 2, cursor }));
      expect(found.map(({ id }) => id)).toEqual(['rpl_5', 'rpl_4', 'rpl_3', 'rpl_2', 'rpl_1']);
      await source.destroy();
    });
  });

  describe('the index of events by delivery target', () => {
    it('is filled in passes, immediately for a new delivery of an old event, and pruned with the events', async () => {
      const indexed = async () => {
        const rows = await scratch.rows<{ pair: string }>(
          `SELECT target_id || ' ' || event_seq AS pair FROM delivery_targets`,
        );
        return rows.map(({ pair }) => pair);
      };
      const PASS = 1_000;
      await Promise.all(Array.from({ length: PASS - 1 }, (_, n) => scratch.journal.append(draft(n), to(1))));
      const again = { trigger: 'manual', replayId: null, at: START } as const;
      await scratch.journal.change({ schedule: [{ ...again, seq: 5, target: 2 }] });
      expect(await indexed()).toEqual(['2 5']);
      await scratch.journal.append(draft(PASS), to(1, 3));
      await until('the pass is done', async () => (await indexed()).length === PASS + 2);
      expect(await indexed()).toEqual(expect.arrayContaining(['1 1', `1 ${PASS}`, '2 5', `3 ${PASS}`]));
      await scratch.journal.prune({
        seqs: [4, 5],
        removeIdentitiesBefore: null,
        cancel: { note: 'No room.', at: START },
      });
      expect(await scratch.count('delivery_targets')).toBe(PASS - 1);
    });
  });

  describe('the backlog', () => {
    it('is counted, also what changes, and knows when its oldest delivery was created', async () => {
      await storeDeliveries(scratch, {
        newest: 50,
        deliveries: `SELECT e.seq, 1, 0, CASE WHEN e.seq < 10 THEN 'dead' WHEN e.seq = 10 THEN 'pending' WHEN e.seq < 20 THEN 'waiting'
          WHEN e.seq < 30 THEN 'retrying' ELSE 'succeeded' END, e.received_at FROM events e`,
      });
      await scratch.exec(`UPDATE deliveries SET lane = 'all' WHERE event_seq = 10`);
      const { backlog } = await open();
      const counts = () => [backlog.queued(1), backlog.queued(2), backlog.queuedTotal];
      expect(counts()).toEqual([20, 0, 20]);
      await scratch.journal.change({
        schedule: [{ seq: 1, target: 2, trigger: 'manual', replayId: null, at: START + 99 }],
      });
      expect(counts()).toEqual([20, 1, 21]);
      await scratch.journal.saveResult(result(20, 1, { number: 2, state: 'retrying', dueAt: START }));
      expect(counts()).toEqual([20, 1, 21]);
      await scratch.journal.saveResult(result(20, 1, { number: 3 }));
      expect(counts()).toEqual([19, 1, 20]);
      expect(await backlog.oldestAt([1, 2])).toBe(START + 10);
      expect(await backlog.oldestAt([2])).toBe(START + 99);
      expect(await backlog.oldestAt([3])).toBeNull();
    });
  });

  describe('the delay of a queue', () => {
    it('counts what is due, a retry only from its time', async () => {
      const delays =
        await delaysOf(`SELECT e.seq, 1, 0, 'retrying', e.received_at FROM events e WHERE e.seq < 3
        UNION ALL SELECT e.seq, 2, 0, 'retrying', e.received_at FROM events e WHERE e.seq = 3`);
      const { clock } = scratch;
      await scratch.exec(`UPDATE deliveries SET attempts = 1, class = 1, due_at = CASE target_id
        WHEN 1 THEN ${clock.now() + 60_000} ELSE ${clock.now() - 5_000} END`);
      expect(await delays.of(1)).toEqual({ dueSince: null, blockedLanes: 0 });
      expect(await delays.of(2)).toEqual({ dueSince: clock.now() - 5_000, blockedLanes: 0 });
      expect(await delays.of(3)).toEqual({ dueSince: null, blockedLanes: 0 });
      await scratch.exec(`UPDATE deliveries SET attempts = 0, class = 2 WHERE target_id = 1`);
      expect(await delays.of(1)).toMatchObject({ dueSince: START + 1 });
    });

    it('counts the lanes in which deliveries wait for a dead letter', async () => {
      const delays =
        await delaysOf(`SELECT e.seq, 1, 0, CASE WHEN e.seq IN (1, 2, 3, 5) THEN 'dead' ELSE 'waiting' END,
        e.received_at FROM events e WHERE e.seq < 8`);
      await scratch.exec(`UPDATE deliveries SET due_at = NULL, lane = CASE
          WHEN event_seq IN (1, 4) THEN 'a' WHEN event_seq IN (2, 6) THEN 'b' WHEN event_seq = 3 THEN 'c' ELSE 'd' END,
        finished_at = CASE WHEN event_seq = 5 THEN 1 END;
        INSERT INTO dead_letter_counts(target, count) VALUES (1, 4) ON CONFLICT(target) DO UPDATE SET count = 4`);
      await lists!.backlog.onModuleInit();
      expect(await delays.of(1)).toEqual({ dueSince: null, blockedLanes: 2 });
    });
  });

  describe('dead letters by cause', () => {
    it('are counted in chunks, whose counts are added', async () => {
      await storeDeliveries(scratch, {
        newest: 45_000,
        step: 50,
        deliveries: `${DELIVERED} AND e.seq % 100 <> 0 UNION ALL
          SELECT e.seq, 3, 0, 'dead', e.received_at FROM events e WHERE e.seq % 100 = 0`,
      });
      const { causes, letters, statements } = await open();
      expect(await causes.find({})).toMatchObject([
        { target_id: idOf(3), error: '503', deliveries: 300, oldest_at: new Date(START + 100).toISOString() },
        {
          target_id: idOf(3),
          error: 'tls',
          deliveries: 150,
          newest_at: new Date(START + 45_000).toISOString(),
        },
      ]);
      expect(statements.length).toBeGreaterThan(2);
      expect(await letters.count('discard', {}, 45_000)).toBe(450);
      expect(await letters.count('discard', { error: 'tls' }, 30_000)).toBe(100);
    });
  });
});
