import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type { DeliveryQuery } from '../../../src/contract/delivery';
import type { DeliveryKey } from '../../../src/relay/ground/ids';
import { DeliveriesService } from '../../../src/relay/deliveries/deliveries.service';
import { Backlog } from '../../../src/relay/deliveries/queue/backlog';
import { DeadLetterCausesQuery } from '../../../src/relay/deliveries/dead-letters/dead-letter-causes.query';
import { DeadLettersService } from '../../../src/relay/deliveries/dead-letters/dead-letters.service';
import { DeliveryIndexes } from '../../../src/relay/deliveries/delivery-indexes';
import { DuplicatesService } from '../../../src/relay/events/duplicates.service';
import { ENTITIES } from '../../../src/relay/relay.module';
import { openReadingSource } from '../../../src/relay/database/open-database';
import { ReplaysService } from '../../../src/relay/replays/replays.service';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { onlyDaemon } from '../../support/only-daemon';
import { until } from '../../support/until';
import { draft, result, ScratchJournal, START, to } from '../../support/daemon/scratch-journal';

const TYPES = ['deal.updated', 'contact.created', 'contact.updated', 'task.created'];
const STATES = ['waiting', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'] as const;
const TARGETS = [1, 2, 3, 4];
const idOf = (target: number) => `tgt_${String(target).repeat(26)}`;

let scratch: ScratchJournal;
let source: DataSource | undefined;
let service: DeliveriesService;
let backlog: Backlog;
let causes: DeadLetterCausesQuery;
let inFlight: DeliveryKey[] = [];
let statements: string[] = [];

beforeEach(async () => {
  scratch = await ScratchJournal.open();
  for (const target of TARGETS)
    scratch.exec(
      `INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at)
       VALUES (${target}, '${idOf(target)}', 'target ${target}', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0)`,
    );
});

afterEach(async () => {
  await source?.destroy();
  source = undefined;
  await scratch.remove();
});

/** Opens the services with the daemon's way of reading. */
async function open() {
  const { reader } = scratch;
  const all = reader.all.bind(reader);
  reader.all = (statement, signal) => (statements.push(statement[0]), all(statement, signal));
  source = await openReadingSource(scratch.file, ENTITIES);
  const { journal, clock } = scratch;
  const records = TARGETS.map((number) => ({ number, id: idOf(number), policy: { ordering: 'none' } }));
  const targets = {
    all: () => records,
    byNumber: (wanted: number) => records.find(({ number }) => number === wanted) ?? null,
    onChange: () => undefined,
  };
  const dispatcher = { keysInFlight: () => inFlight, isInFlight: () => false };
  backlog = new Backlog(source, reader, targets as never, journal, onlyDaemon, pino({ level: 'silent' }));
  await backlog.onModuleInit();
  service = new DeliveriesService(
    source,
    reader,
    journal,
    targets as never,
    dispatcher as never,
    new DeliveryIndexes(reader, backlog),
    new TimeBounds(clock),
  );
  const letters = new DeadLettersService(source, reader, journal, {} as never, service, clock);
  causes = new DeadLetterCausesQuery(source, reader, journal, letters, clock);
  return letters;
}

/** Stores events of mixed types, each with the deliveries that `deliveries` selects from it (`e`). */
function store(events: number, deliveries: string, indexedThrough = events): void {
  scratch.exec(`
    WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < ${events})
    INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
      SELECT i, ${START} + i, CASE i % 97 WHEN 0 THEN '${TYPES[1]}' WHEN 1 THEN '${TYPES[2]}' WHEN 2 THEN '${TYPES[3]}' ELSE '${TYPES[0]}' END,
        '[]', '', '', x'00' FROM many;
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, due_at, finished_at, last_status, last_error, lane)
      ${deliveries};
    UPDATE deliveries SET due_at = 0 WHERE state IN ('pending', 'retrying');
    UPDATE deliveries SET finished_at = 1 WHERE state IN ('succeeded', 'dead', 'cancelled');
    UPDATE deliveries SET lane = 'all' WHERE state = 'waiting';
    UPDATE deliveries SET last_error = CASE event_seq % 3 WHEN 0 THEN 'tls' ELSE 'http_status' END,
      last_status = CASE event_seq % 3 WHEN 0 THEN NULL ELSE 503 END WHERE state IN ('retrying', 'dead');
    INSERT INTO event_types(type, seq) SELECT type, seq FROM events WHERE seq <= ${indexedThrough};
    INSERT OR IGNORE INTO delivery_targets(target_id, event_seq)
      SELECT target_id, event_seq FROM deliveries WHERE event_seq <= ${indexedThrough} OR n > 0;
    UPDATE instance SET indexed_through = ${indexedThrough}`);
}

/** The statements that scan events one by one, bounded on both sides. */
const scans = () => statements.filter((sql) => /"?d"?\."?event_seq"? > /.test(sql));

/** All pages together. */
async function list(query: Partial<DeliveryQuery>, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined = undefined, pages = 0; ; pages += 1) {
    if (pages > 500) throw new Error('The pages do not end.');
    const page = await service.find({ ...query, limit, ...(cursor !== undefined && { cursor }) });
    found.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}

/** The same list from a single query. */
async function listDirectly({
  target,
  status,
  type,
  error,
  since,
}: Partial<DeliveryQuery>): Promise<string[]> {
  const inFlightRows = `(event_seq, target_id, n) IN (VALUES ${inFlight.map(({ seq, target: at, n }) => `(${seq}, ${at}, ${n})`).join(', ')})`;
  const conditions = [
    target && `target_id = ${target.charAt(4)}`,
    status && (status === 'in_flight' ? inFlightRows : `state = '${status}'`),
    type && `type GLOB '${type}'`,
    error && `last_error = '${error}'`,
    since && `created_at >= ${since}`,
  ].filter(Boolean);
  const rows = scratch.rows<DeliveryKey>(
    `SELECT event_seq AS seq, target_id AS target, n FROM deliveries d JOIN events e ON e.seq = d.event_seq
     WHERE ${conditions.join(' AND ') || '1'} ORDER BY event_seq DESC, target_id DESC, n DESC`,
  );
  return (await service.byKeys(rows)).toSorted(newestFirst).map(({ id }) => id);
}

const PLAIN = `SELECT e.seq, t.number, 0, 'succeeded', 'live', 1, e.received_at, NULL, 1, 204, NULL, NULL
  FROM events e, targets t WHERE t.number <= 2`;

const ANY_STATE = `CASE abs(random()) % 10 ${STATES.map((state, i) => `WHEN ${i} THEN '${state}'`).join(' ')} ELSE 'succeeded' END`;

describe('a list of deliveries', () => {
  it('finds rare targets, states, failures and types without a scan', async () => {
    const states = STATES.map((state, i) => `WHEN ${4_000 + i} THEN '${state}'`).join(' ');
    store(
      6_000,
      `${PLAIN} UNION ALL
       SELECT e.seq, 3, 0, CASE e.seq ${states} END, 'live', 1, e.received_at, NULL, NULL, NULL, NULL, NULL
       FROM events e WHERE e.seq >= 4000 AND e.seq < 4006`,
    );
    await open();
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
    for (const [query, count] of queries) {
      statements = [];
      expect({ query, found: (await list(query, 50)).length }).toEqual({ query, found: count });
      expect({ query, scans: scans() }).toEqual({ query, scans: [] });
    }

    inFlight = [{ seq: 100, target: 1, n: 0 }];
    statements = [];
    expect(await list({ status: 'in_flight' }, 50)).toHaveLength(1);
    expect(scans()).toEqual([]);

    // Even among many queued deliveries, waiting ones are rare.
    backlog.queued = () => 1_000_000;
    statements = [];
    expect(await list({ status: 'waiting' }, 50)).toHaveLength(1);
    expect(scans()).toEqual([]);
  });

  it('looks up failures of one cause in an index only', async () => {
    store(100, PLAIN);
    await open();
    statements = [];
    await list({ error: 'tls' }, 50);
    const lookUp = statements.find((sql) => sql.includes('deliveries_failed'))!;
    expect(planOf(lookUp).filter((detail) => detail.includes('deliveries_failed'))).toEqual(
      Array.from({ length: 3 * TARGETS.length }, () =>
        expect.stringContaining(
          'USING COVERING INDEX deliveries_failed (target_id=? AND state=? AND event_seq>? AND event_seq<?)',
        ),
      ),
    );
  });

  it('is complete and ordered for all filters, pages and states of the index', async () => {
    store(
      400,
      `SELECT e.seq, t.number, n.n, ${ANY_STATE}, 'live', 1, e.received_at, NULL, NULL, NULL, NULL, NULL
       FROM events e, targets t, (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2) n
       WHERE t.number < 4 AND abs(random() % 1000 + e.seq + t.number) % (n.n * 4 + 2) = 0`,
      250,
    );
    await open();
    inFlight = scratch
      .rows<DeliveryKey>(
        `SELECT event_seq AS seq, target_id AS target, n FROM deliveries WHERE state = 'pending' LIMIT 9`,
      )
      .toReversed();
    const queries: Partial<DeliveryQuery>[] = [{}];
    for (const target of [undefined, ...TARGETS])
      for (const status of [undefined, 'in_flight', ...STATES] as const)
        for (const rest of [
          {},
          { type: 'contact.*' },
          { type: 'task.created' },
          { error: 'tls' },
          { since: START + 200 },
        ] as const)
          queries.push({ ...(target && { target: idOf(target) }), ...(status && { status }), ...rest });
    for (const query of queries)
      expect({ query, found: await list(query, 7) }).toEqual({ query, found: await listDirectly(query) });
  }, 60_000);
});

const newestFirst = (a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1);

/** The query plan of a statement. */
const planOf = (sql: string) => {
  const parameters = Array.from(sql.matchAll(/\?/g), () => 1);
  return scratch
    .rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...parameters)
    .map(({ detail }) => detail);
};

describe('a list of duplicates', () => {
  it('of one state is read from an index, newest first, and not on the main thread', async () => {
    await open();
    const nothing = {} as never;
    const events = { bySeqs: async () => [] };
    const duplicates = new DuplicatesService(
      nothing,
      scratch.reader,
      nothing,
      events as never,
      nothing,
      scratch.clock,
      nothing,
    );
    statements = [];
    await duplicates.list({ state: 'released', limit: 50 });
    expect(statements.map(planOf)).toEqual([
      [expect.stringMatching(/^SEARCH duplicates USING INDEX duplicates_state \(state=\? AND .*received_at/)],
    ]);
  });
});

describe('a list of replays', () => {
  it('continues after a page with a single lookup', async () => {
    const sqls: string[] = [];
    const rows = { query: async (sql: string) => (sqls.push(sql), []) };
    const nothing = {} as never;
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
    expect(sqls.map((sql) => planOf(sql)[0])).toEqual(['SEARCH r USING INTEGER PRIMARY KEY (rowid<?)']);
  });
});

describe('the index of events by delivery target', () => {
  it('is filled in passes, immediately for a new delivery of an old event, and pruned with the events', async () => {
    const indexed = () =>
      scratch
        .rows<{ pair: string }>(`SELECT target_id || ' ' || event_seq AS pair FROM delivery_targets`)
        .map(({ pair }) => pair);
    const PASS = 1_000;
    await Promise.all(Array.from({ length: PASS - 1 }, (_, n) => scratch.journal.append(draft(n), to(1))));
    const again = { trigger: 'manual', replayId: null, at: START } as const;
    await scratch.journal.change({ schedule: [{ ...again, seq: 5, target: 2 }] });
    expect(indexed()).toEqual(['2 5']);
    await scratch.journal.append(draft(PASS), to(1, 3));
    await until('the pass is done', () => indexed().length === PASS + 2);
    expect(indexed()).toEqual(expect.arrayContaining(['1 1', `1 ${PASS}`, '2 5', `3 ${PASS}`]));
    await scratch.journal.prune({
      seqs: [4, 5],
      removeIdentitiesBefore: null,
      cancel: { note: 'No room.', at: START },
    });
    expect(indexed().length).toBe(PASS - 1);
  });
});

describe('the backlog', () => {
  it('is counted, and its oldest delivery is found with one index lookup per target', async () => {
    store(
      50,
      `SELECT e.seq, 1, 0, CASE WHEN e.seq < 10 THEN 'dead' WHEN e.seq = 10 THEN 'pending' WHEN e.seq < 20 THEN 'waiting'
           WHEN e.seq < 30 THEN 'retrying' ELSE 'succeeded' END,
         'live', 1, e.received_at, NULL, NULL, NULL, NULL, CASE e.seq WHEN 10 THEN 'all' END FROM events e`,
    );
    await open();
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
    statements = [];
    expect(await backlog.oldestAt([1, 2])).toBe(START + 10);
    const plans = statements.flatMap((sql) =>
      scratch.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, 1),
    );
    expect(plans.map(({ detail }) => detail)).toEqual(
      statements.map(() =>
        expect.stringMatching(
          /^SEARCH deliveries USING (COVERING )?INDEX deliveries_queued \(target_id=\?\)$/,
        ),
      ),
    );
  });
});

describe('dead letters by cause', () => {
  it('are counted in chunks, whose counts are added', async () => {
    store(
      45_000,
      `${PLAIN} AND e.seq % 100 <> 0 UNION ALL
      SELECT e.seq, 3, 0, 'dead', 'live', 1, e.received_at, NULL, NULL, NULL, NULL, NULL FROM events e WHERE e.seq % 100 = 0`,
    );
    const letters = await open();
    statements = [];
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
    expect(await letters.count({}, 45_000)).toBe(450);
    expect(await letters.count({ error: 'tls' }, 30_000)).toBe(100);
  });
});
