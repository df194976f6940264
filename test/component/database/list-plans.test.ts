import type { DeliveryQuery } from '../../../src/contract/delivery';
import { DuplicatesService } from '../../../src/relay/events/duplicates.service';
import { ReplaysService } from '../../../src/relay/replays/replays.service';
import {
  DELIVERED,
  DeliveryLists,
  idOf,
  STATES,
  storeDeliveries,
  storeTargets,
  TARGETS,
} from '../../support/daemon/delivery-lists';
import { ScratchJournal } from '../../support/daemon/scratch-journal';

let scratch: ScratchJournal;
let lists: DeliveryLists | undefined;

beforeEach(async () => {
  scratch = await ScratchJournal.open();
  await storeTargets(scratch);
});

afterEach(async () => {
  await lists?.close();
  lists = undefined;
  await scratch.remove();
});

const open = async () => (lists = await DeliveryLists.open(scratch));

/** The query plan of a statement. */
const planOf = (sql: string) => {
  const parameters = Array.from(sql.matchAll(/\?/g), () => 1);
  return scratch
    .rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...parameters)
    .map(({ detail }) => detail);
};

const nothing = {} as never;

describe('on SQLite, a list of deliveries', () => {
  it('finds rare targets, states, failures and types without a scan', async () => {
    const states = STATES.map((state, i) => `WHEN ${4_000 + i} THEN '${state}'`).join(' ');
    await storeDeliveries(scratch, {
      newest: 6_000,
      deliveries: `${DELIVERED} UNION ALL
        SELECT e.seq, 3, 0, CASE e.seq ${states} END, e.received_at FROM events e WHERE e.seq >= 4000 AND e.seq < 4006`,
    });
    const opened = await open();
    const find = async (query: Partial<DeliveryQuery>) => {
      opened.statements = [];
      const { data } = await opened.deliveries.find({ ...query, limit: 50 });
      // The statements that scan events one by one are bounded on both sides.
      const scans = opened.statements.filter((sql) => /"?d"?\."?event_seq"? > /.test(sql));
      return { query, found: data.length, scans };
    };
    const queries: [Partial<DeliveryQuery>, number][] = [
      [{ target: idOf(3) }, 6],
      [{ target: idOf(4) }, 0],
      ...STATES.filter((state) => state !== 'succeeded').map((status): [Partial<DeliveryQuery>, number] => [
        { status },
        1,
      ]),
      [{ status: 'dead', target: idOf(1) }, 0],
      [{ error: 'tls' }, 1],
      [{ error: 'timeout' }, 0],
      [{ error: '503' }, 1],
      [{ type: 'nothing.*' }, 0],
      [{ type: 'contact.created', target: idOf(3) }, 0],
      [{ type: 'contact.*', status: 'dead' }, 0],
    ];
    for (const [query, found] of queries) expect(await find(query)).toEqual({ query, found, scans: [] });

    opened.inFlight = [{ seq: 100, target: 1, n: 0 }];
    expect(await find({ status: 'in_flight' })).toMatchObject({ found: 1, scans: [] });

    // Even among many queued deliveries, waiting ones are rare.
    opened.backlog.queued = () => 1_000_000;
    expect(await find({ status: 'waiting' })).toMatchObject({ found: 1, scans: [] });
  });

  it('looks up failures of one cause in an index only', async () => {
    await storeDeliveries(scratch, { newest: 100, deliveries: DELIVERED });
    const { deliveries, statements } = await open();
    await deliveries.find({ error: 'tls', limit: 50 });
    const lookUp = statements.find((sql) => sql.includes('deliveries_failed'))!;
    expect(planOf(lookUp).filter((detail) => detail.includes('deliveries_failed'))).toEqual(
      Array.from({ length: 3 * TARGETS.length }, () =>
        expect.stringContaining(
          'USING COVERING INDEX deliveries_failed (target_id=? AND state=? AND event_seq>? AND event_seq<?)',
        ),
      ),
    );
  });
});

describe('on SQLite, a list of duplicates', () => {
  it('of one state is read from an index, and not on the main thread', async () => {
    const { statements } = await open();
    const events = { bySeqs: async () => [] };
    const { reader, clock } = scratch;
    await new DuplicatesService(nothing, reader, nothing, events as never, nothing, clock, nothing).list({
      state: 'released',
      limit: 50,
    });
    expect(statements.map(planOf)).toEqual([
      [expect.stringMatching(/^SEARCH duplicates USING INDEX duplicates_state \(state=\? AND .*received_at/)],
    ]);
  });
});

describe('on SQLite, a list of replays', () => {
  it('continues after a page with a single lookup', async () => {
    const sqls: string[] = [];
    const rows = { query: async (sql: string) => (sqls.push(sql), []) };
    const paused = { waitedFor: async () => new Map() };
    const replays = new ReplaysService(
      rows as never,
      nothing,
      nothing,
      nothing,
      nothing,
      paused as never,
      scratch.clock,
      nothing,
      nothing,
    );
    await replays.list({ limit: 50 });
    await expect(replays.list({ limit: 50, cursor: 'rpl_unknown' })).rejects.toThrow();
    expect(sqls.map((sql) => planOf(sql)[0])).toEqual([
      'SEARCH r USING INTEGER PRIMARY KEY (rowid<?)',
      expect.stringMatching(/^SEARCH r USING INDEX \S+ \(id=\?\)$/),
    ]);
  });
});

describe('on SQLite, the backlog', () => {
  it('finds its oldest delivery with one index lookup per target that has one', async () => {
    const deliveries = `SELECT e.seq, t.number, 0, 'pending', e.received_at FROM events e, targets t WHERE t.number <= 2`;
    await storeDeliveries(scratch, { newest: 1, deliveries });
    const { backlog, statements } = await open();
    await backlog.oldestAt(TARGETS);
    expect(statements.map(planOf)).toEqual(
      Array.from({ length: 2 }, () => [
        expect.stringMatching(
          /^SEARCH deliveries USING (COVERING )?INDEX deliveries_queued \(target_id=\?\)$/,
        ),
      ]),
    );
  });
});
