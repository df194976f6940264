import { Switchboard } from '../../support/daemon/switchboard';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { join } from 'node:path';
import { until } from '../../support/until';
import { type EventSummary, eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { judgeBodies } from '../../../src/relay/filters/body-conditions';
import { writeFileSync } from 'node:fs';
import { QUERIES, SHOWN, TEXTS, escapeAll } from './searched-texts';

/** More than one step of indexing. */
const BULK = 700;

let switchboard: Switchboard;
let targetId: string;

const openIndex = () => new sqliteDriver(join(switchboard.dataDir, 'switchboard-search.db'));
/** Reads the index while it is in use. A writing connection, closed last, would delete the log of an index created meanwhile. */
const openIndexReadonly = () =>
  new sqliteDriver(join(switchboard.dataDir, 'switchboard-search.db'), { readonly: true });
const openDatabase = () => new sqliteDriver(join(switchboard.dataDir, 'switchboard.db'));

function inDatabase<T>(open: typeof openIndex, work: (connection: ReturnType<typeof openIndex>) => T): T {
  const connection = open();
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

const ids = (open: typeof openIndex, sql: string) => inDatabase(open, (db) => db.prepare(sql).pluck().all());
const newestSeq = () => ids(openDatabase, 'SELECT max(seq) FROM events')[0] as number;
/** 0 while this database has no index. */
function indexedThrough(): number {
  const { tag } = inDatabase(
    openDatabase,
    (db) => db.prepare('SELECT tag FROM instance').get() as { tag: number },
  );
  try {
    return inDatabase(openIndexReadonly, (db) => {
      if (db.pragma('user_version', { simple: true }) !== 3) return 0;
      const state = db.prepare('SELECT through FROM state WHERE tag = ?').get(tag);
      return (state as { through: number } | undefined)?.through ?? 0;
    });
  } catch {
    return 0;
  }
}
const untilIndexed = () => until('all is indexed', () => indexedThrough() === newestSeq());

async function search(q: string, more = ''): Promise<number[]> {
  const found: EventSummary[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: EventSummary[]; next_cursor: string | null } = await switchboard.read(
      pageOf(eventSummary),
      `/events?q=${encodeURIComponent(q)}&limit=40${more}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found.map(({ seq }) => seq);
}

const indexed = (trigram: string) =>
  ids(openIndexReadonly, `SELECT count(*) FROM event_text WHERE event_text MATCH '"${trigram}"'`);

/** The result of a scan of every body, newest first. */
function scan(q: string): number[] {
  const judge = judgeBodies([JSON.stringify({ q })]);
  const rows = inDatabase(openDatabase, (db) =>
    db.prepare('SELECT seq, body FROM events ORDER BY seq DESC').all(),
  );
  return (rows as { seq: number; body: Buffer }[])
    .filter(({ body }) => judge(body) !== null)
    .map(({ seq }) => seq);
}

async function expectSameAsScan(queries = QUERIES): Promise<void> {
  for (const q of queries) expect({ q, found: await search(q) }).toEqual({ q, found: scan(q) });
}

const unreadable = (body: Buffer) =>
  switchboard.notify({ body, signature: switchboard.upstream.sign(switchboard.webhook, body) });

beforeAll(async () => {
  switchboard = await Switchboard.start();
  ({ id: targetId } = await switchboard.addTarget('never', 'http://127.0.0.1:9/', ['never.sent']));
  for (const said of TEXTS) await switchboard.emit('said.so', { said });
  await unreadable(Buffer.from([...Buffer.from('caf'), 0xe9, ...Buffer.from(' au lait x'), 0xff, 0x79]));
  await unreadable(Buffer.from('nul\0byte behind it'));
  await unreadable(Buffer.from([0xe6, 0xbc]));
  for (let i = 0; i < BULK; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) => switchboard.emit('bulk.event', { name: `Number ${i + k} Été` })),
    );
});

afterAll(() => switchboard.end());

const restarted = async (meanwhile: () => void) => {
  await switchboard.stop();
  meanwhile();
  await switchboard.restart();
};

describe('the full-text search', () => {
  it('finds the same in the index as a scan does', async () => {
    await untilIndexed();
    await expectSameAsScan();
    expect(scan('Été').length).toBeGreaterThan(0);
    expect(scan('100 %')).toHaveLength(1);
  });

  it('finds what a page shows, in any case, however it is written in the body', async () => {
    const expected: [q: string, seqs: number[]][] = [];
    for (const [said, queries] of SHOWN) {
      const seqs: number[] = [];
      for (const text of [JSON.stringify(said), escapeAll(said)]) {
        const body = Buffer.from(
          `{"event":"shown.text","timestamp":"2026-03-02T09:30:00Z","webhook_id":"wh_1","data":{"said" :\t${text}}}`,
        );
        const { json } = await unreadable(body);
        seqs.unshift((await switchboard.event((json as { id: string }).id)).seq);
      }
      for (const q of [...queries, `"said": "${said}`, `"said":"${said}`, escapeAll(said).slice(1, -1)])
        expected.push([q, seqs]);
    }
    const found = async () => {
      const all: typeof expected = [];
      for (const [q] of expected) all.push([q, await search(q)]);
      return all;
    };
    expect(await found()).toEqual(expected);
    await untilIndexed();
    expect(await found()).toEqual(expected);
    const q = 'соколов';
    expect((await switchboard.ask(`/events/count?q=${encodeURIComponent(q)}`)).json).toEqual({
      count: 2,
      estimated: false,
    });
    const exported = await switchboard.ask(`/events/export?q=${encodeURIComponent(q)}`);
    expect(exported.text.split('\n')).toHaveLength(3);
    const json = { filter: { q, types: ['*'] }, target_ids: [targetId] };
    const preview = await switchboard.ask('/replays/preview', { method: 'POST', json });
    expect(preview.json).toMatchObject({ events: 2 });
  });

  it('finds events that have just arrived, also combined with a type', async () => {
    const before = await search('Zürich');
    const id = await switchboard.emit('said.so', { said: 'ZÜRICH and Zürich' });
    const { seq } = await switchboard.event(id);
    expect(await search('Zürich')).toEqual([seq, ...before]);
    expect(await search('Zürich', '&type=said.so')).toEqual([seq, ...before]);
    expect(await search('Zürich', '&type=bulk.event')).toEqual([]);
    expect(await search('Number 3', '&type=bulk.*&status=unmatched')).toEqual(scan('Number 3'));
  });

  it('uses the index', async () => {
    await untilIndexed();
    const [seq] = await search('number 123 ');
    inDatabase(openIndex, (db) => db.prepare('DELETE FROM event_text WHERE rowid = ?').run(seq));
    expect(await search('number 123 ')).toEqual([]);
    // Too short for the index: every event is scanned.
    expect(await search('23')).toEqual(scan('23'));
    await restarted(() => inDatabase(openIndex, (db) => db.prepare('UPDATE state SET tag = tag + 1').run()));
    await untilIndexed();
    expect(await search('number 123 ')).toEqual([seq]);
  });

  it('continues indexing where a stop interrupted it', async () => {
    await restarted(() =>
      inDatabase(openIndex, (db) => {
        db.exec('DELETE FROM event_text WHERE rowid > 300');
        db.exec('UPDATE state SET through = 300');
      }),
    );
    await expectSameAsScan(['number 5', 'zürich', '100 %']);
    await untilIndexed();
    await expectSameAsScan();
  });

  it.each([
    [
      'contains later events than the database',
      () =>
        inDatabase(openIndex, (db) => {
          db.exec('DELETE FROM event_text WHERE rowid > 10');
          db.exec('UPDATE state SET through = 1000000');
        }),
    ],
    [
      'is not a database',
      () => writeFileSync(join(switchboard.dataDir, 'switchboard-search.db'), 'x'.repeat(8_192)),
    ],
    [
      'has another schema',
      () =>
        inDatabase(openIndex, (db) => {
          db.exec('DELETE FROM event_text WHERE rowid > 10');
          db.pragma('user_version = 99');
        }),
    ],
  ])('rebuilds an index that %s', async (_, damage) => {
    await restarted(damage);
    await untilIndexed();
    await expectSameAsScan(['number 5', 'zürich', '100 %', 'nowhere to be found']);
  });

  it('leaves out of the index what most events contain, and still finds it', async () => {
    await untilIndexed();
    expect(scan('bulk.event')).toHaveLength(BULK);
    expect(indexed('bul')[0]).toBeLessThan(BULK / 10);
    expect(indexed('d.s')).toEqual([scan('d.s').length]);
    await expectSameAsScan(['bulk.event', 'name":"number', 'name":"number 7']);
  });

  it('removes from the index what retention has removed', async () => {
    await restarted(() =>
      inDatabase(openDatabase, (db) => {
        db.exec('DELETE FROM events WHERE seq <= 400 AND seq % 7 > 0');
        db.exec('UPDATE instance SET pruned_through = 400');
      }),
    );
    await untilIndexed();
    const stored = ids(openDatabase, 'SELECT seq FROM events ORDER BY seq');
    await until(
      'only what is stored is indexed',
      () => ids(openIndexReadonly, 'SELECT count(*) FROM event_text_docsize')[0] === stored.length,
    );
    expect(ids(openIndexReadonly, 'SELECT id FROM event_text_docsize ORDER BY id')).toEqual(stored);
    await expectSameAsScan(['number 5', 'number 1', 'zürich', 'é']);
  });

  it('scans the events themselves when the index fails while in use, and logs it', async () => {
    await untilIndexed();
    inDatabase(openIndex, (db) => db.exec('DROP TABLE event_text'));
    await expectSameAsScan(['number 5', 'zürich', 'nowhere to be found']);
    expect(switchboard.logged).toContain('the text index is disabled until the next start');
    await restarted(() => undefined);
    await untilIndexed();
    await expectSameAsScan(['number 5', 'zürich']);
  });
});

describe('a page that would take too long', () => {
  let now = 0;
  const speedUpClock = () => jest.spyOn(performance, 'now').mockImplementation(() => (now += 3_000));
  afterEach(() => jest.restoreAllMocks());

  it('ends with what was found in time, and the next page continues from there', async () => {
    await restarted(() =>
      inDatabase(openDatabase, (db) =>
        db.exec(`INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            SELECT (SELECT max(seq) FROM events) + i, 0, 'later.event', '[]', 'x-signature', '', CAST('{}' AS BLOB) FROM n`),
      ),
    );
    const all = await search('é');
    speedUpClock();
    const first = await switchboard.read(pageOf(eventSummary), '/events?q=%C3%A9&limit=200');
    expect(first.data).toEqual([]);
    expect(first.next_cursor).not.toBeNull();
    expect(await search('é')).toEqual(all);
  });
});
