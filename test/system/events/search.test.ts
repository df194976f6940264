import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventSummary, type EventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

/** More than one piece of the index holds. */
const BULK = 700;
const LONG_MS = 60_000;

let board: Switchboard;

const SAID = [
  '100 % of it',
  '100 per cent',
  'under_score',
  'underscore',
  'he said "no"',
  "it's quoted",
  'back\\slash',
  'a!b!c',
  'Été à Zürich',
  'éTÉ à zürich',
  'STRASSE straße',
  'İstanbul ΣΊΣΥΦΟΣ',
  'sum: 漢字かな交じり文',
  'family 👩‍👩‍👧 here',
  'شارع الملك',
  'tab\there, line\nthere',
  'AbAbAbA',
];

const QUERIES = [
  'number 77 ',
  'NUMBER 699',
  '100 %',
  '% of',
  '%',
  '_',
  'r_s',
  'e',
  'no',
  'he said \\"no\\"',
  'said "no',
  "it's",
  'back\\\\slash',
  'a!b',
  'été',
  'ÉTÉ',
  'zürich',
  'ZÜRICH',
  'straße',
  'STRASSE',
  'İst',
  'σίσυφος',
  'ΣΊΣ',
  '漢字か',
  '漢字',
  '👩‍👩‍👧',
  'الملك',
  'tab\\there',
  'ababababa',
  'bababa',
  '"event":"said.so"',
  'nowhere to be found',
  '\uFFFD\uFFFD',
  'x\uFFFDy',
  'caf\uFFFD au lait',
  'nul\0byte',
  'nul',
  'AND',
  'NEAR("a")',
  'w'.repeat(200),
];

const openIndex = () => new sqliteDriver(join(board.dataDir, 'switchboard-search.db'));
/** To look at it while it is in use: a connection that may write would, as the last to close, take the log of one made anew with it. */
const openIndexToLook = () =>
  new sqliteDriver(join(board.dataDir, 'switchboard-search.db'), { readonly: true });
const openDatabase = () => new sqliteDriver(join(board.dataDir, 'switchboard.db'));

function inDatabase<T>(open: typeof openIndex, work: (connection: ReturnType<typeof openIndex>) => T): T {
  const connection = open();
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

const ids = (open: typeof openIndex, sql: string) => inDatabase(open, (db) => db.prepare(sql).pluck().all());
const newestSeq = () =>
  inDatabase(
    openDatabase,
    (db) => (db.prepare('SELECT max(seq) AS seq FROM events').get() as { seq: number }).seq,
  );
/** 0 while there is no index of this database. */
function indexedThrough(): number {
  const { tag } = inDatabase(
    openDatabase,
    (db) => db.prepare('SELECT tag FROM instance').get() as { tag: number },
  );
  try {
    return inDatabase(openIndexToLook, (db) => {
      if (db.pragma('user_version', { simple: true }) !== 1) return 0;
      const state = db.prepare('SELECT through FROM state WHERE tag = ?').get(tag);
      return (state as { through: number } | undefined)?.through ?? 0;
    });
  } catch {
    return 0;
  }
}
const untilIndexed = () => until('all is indexed', () => indexedThrough() === newestSeq(), LONG_MS);

async function search(q: string, more = ''): Promise<number[]> {
  const found: EventSummary[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: EventSummary[]; next_cursor: string | null } = await board.read(
      pageOf(eventSummary),
      `/events?q=${encodeURIComponent(q)}&limit=40${more}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found.map(({ seq }) => seq);
}

/** What a scan of every body finds, newest first. */
const scan = (q: string) =>
  inDatabase(openDatabase, (db) =>
    (
      db
        .prepare(`SELECT seq FROM events WHERE CAST(body AS TEXT) LIKE ? ESCAPE '!' ORDER BY seq DESC`)
        .all(`%${q.replace(/[!%_]/g, '!$&')}%`) as { seq: number }[]
    ).map(({ seq }) => seq),
  );

async function expectAsScanned(queries = QUERIES): Promise<void> {
  for (const q of queries) expect({ q, found: await search(q) }).toEqual({ q, found: scan(q) });
}

const unreadable = (body: Buffer) =>
  board.notify({ body, signature: board.upstream.sign(board.webhook, body) });

beforeAll(async () => {
  board = await Switchboard.start();
  for (const said of SAID) await board.emit('said.so', { said });
  await unreadable(Buffer.from([...Buffer.from('caf'), 0xe9, ...Buffer.from(' au lait x'), 0xff, 0x79]));
  await unreadable(Buffer.from('nul\0byte behind it'));
  await unreadable(Buffer.from([0xe6, 0xbc]));
  for (let i = 0; i < BULK; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) => board.emit('bulk.event', { name: `Number ${i + k} Été` })),
    );
}, LONG_MS);

afterAll(() => board.end());

const restarted = async (meanwhile: () => void) => {
  await board.stop();
  meanwhile();
  board = await Switchboard.start({ after: board });
};

describe('the search for a text', () => {
  it(
    'finds in the index what a scan finds, letter for letter',
    async () => {
      await untilIndexed();
      await expectAsScanned();
      expect(scan('Été').length).toBeGreaterThan(0);
      expect(scan('100 %')).toHaveLength(1);
    },
    LONG_MS,
  );

  it('finds what has just come in too, together with a type', async () => {
    const before = await search('Zürich');
    const id = await board.emit('said.so', { said: 'ZÜRICH and Zürich' });
    const { seq } = await board.event(id);
    expect(await search('Zürich')).toEqual([seq, ...before]);
    expect(await search('Zürich', '&type=said.so')).toEqual([seq, ...before]);
    expect(await search('Zürich', '&type=bulk.event')).toEqual([]);
    expect(await search('Number 3', '&type=bulk.*&status=unmatched')).toEqual(scan('Number 3'));
  });

  it(
    'goes through the index',
    async () => {
      await untilIndexed();
      const [seq] = await search('number 123 ');
      inDatabase(openIndex, (db) => db.prepare('DELETE FROM event_text WHERE rowid = ?').run(seq));
      expect(await search('number 123 ')).toEqual([]);
      // Too short for it: every event is looked at.
      expect(await search('23')).toEqual(scan('23'));
      await restarted(() =>
        inDatabase(openIndex, (db) => db.prepare('UPDATE state SET tag = tag + 1').run()),
      );
      await untilIndexed();
      expect(await search('number 123 ')).toEqual([seq]);
    },
    LONG_MS,
  );

  it(
    'goes on where a stop interrupted the indexing',
    async () => {
      await restarted(() =>
        inDatabase(openIndex, (db) => {
          db.exec('DELETE FROM event_text WHERE rowid > 300');
          db.exec('UPDATE state SET through = 300');
        }),
      );
      await expectAsScanned(['number 5', 'zürich', '100 %']);
      await untilIndexed();
      await expectAsScanned();
    },
    LONG_MS,
  );

  it.each([
    [
      'knows of later events than there are',
      () =>
        inDatabase(openIndex, (db) => {
          db.exec('DELETE FROM event_text WHERE rowid > 10');
          db.exec('UPDATE state SET through = 1000000');
        }),
    ],
    ['is no database', () => writeFileSync(join(board.dataDir, 'switchboard-search.db'), 'x'.repeat(8_192))],
    [
      'is of another layout',
      () =>
        inDatabase(openIndex, (db) => {
          db.exec('DELETE FROM event_text WHERE rowid > 10');
          db.pragma('user_version = 99');
        }),
    ],
  ])(
    'makes an index anew that %s',
    async (_, spoil) => {
      await restarted(spoil);
      await untilIndexed();
      await expectAsScanned(['number 5', 'zürich', '100 %', 'nowhere to be found']);
    },
    LONG_MS,
  );

  it(
    'lets go of what retention has removed',
    async () => {
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
        () => ids(openIndexToLook, 'SELECT count(*) FROM event_text_docsize')[0] === stored.length,
        LONG_MS,
      );
      expect(ids(openIndexToLook, 'SELECT id FROM event_text_docsize ORDER BY id')).toEqual(stored);
      await expectAsScanned(['number 5', 'number 1', 'zürich', 'é']);
    },
    LONG_MS,
  );

  it(
    'reads the events themselves where the index breaks while it is used, and says so',
    async () => {
      await untilIndexed();
      inDatabase(openIndex, (db) => db.exec('DROP TABLE event_text'));
      await expectAsScanned(['number 5', 'zürich', 'nowhere to be found']);
      expect(board.logged).toContain('the text index cannot be used until the next start');
      await restarted(() => undefined);
      await untilIndexed();
      await expectAsScanned(['number 5', 'zürich']);
    },
    LONG_MS,
  );
});

describe('a page that would take too long', () => {
  let now = 0;
  const hurry = () => jest.spyOn(performance, 'now').mockImplementation(() => (now += 3_000));
  afterEach(() => jest.restoreAllMocks());

  it(
    'ends with what was found by then, and goes on behind it',
    async () => {
      await restarted(() =>
        inDatabase(openDatabase, (db) =>
          db.exec(`INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            SELECT (SELECT max(seq) FROM events) + i, 0, 'later.event', '[]', 'x-signature', '', CAST('{}' AS BLOB) FROM n`),
        ),
      );
      const all = await search('é');
      hurry();
      const first = await board.read(pageOf(eventSummary), '/events?q=%C3%A9&limit=200');
      expect(first.data).toEqual([]);
      expect(first.next_cursor).not.toBeNull();
      expect(await search('é')).toEqual(all);
    },
    LONG_MS,
  );
});
