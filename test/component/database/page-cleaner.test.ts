import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PageCleaner } from '../../../src/relay/database/sqlite/cleaning/page-cleaner';
import {
  prepareWriting,
  sqliteDriver,
  type Connection,
} from '../../../src/relay/database/sqlite/sqlite-driver';
import { randomGenerator } from '../../support/random-generator';

const CANARY = 'canary-of-an-erased-person';

/** Rows of all lengths, in a table with overflow pages, in one whose rows are their key, and in an index. */
const TABLES = [
  'CREATE TABLE values_by_number(n INTEGER PRIMARY KEY, text TEXT, body BLOB)',
  'CREATE INDEX values_by_text ON values_by_number(text)',
  'CREATE TABLE keys(text TEXT, n INTEGER, PRIMARY KEY (text, n)) WITHOUT ROWID',
];

let folder: string;
let file: string;
let connection: Connection;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-clean-'));
  file = join(folder, 'some.db');
  connection = new sqliteDriver(file);
  prepareWriting(connection);
  for (const table of TABLES) connection.exec(table);
});
afterEach(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes, changes and removes rows, about every third of which has the canary. */
function change(random: () => number, from: number, count: number): void {
  const below = (limit: number) => Math.floor(random() * limit);
  const insert = connection.prepare('INSERT INTO values_by_number(n, text, body) VALUES (?, ?, ?)');
  const key = connection.prepare('INSERT INTO keys(text, n) VALUES (?, ?)');
  connection.transaction(() => {
    for (let n = from; n < from + count; n += 1) {
      const filling = 'x'.repeat(below(below(4) === 0 ? 20_000 : 300));
      const text = `${below(1_000)} ${n % 3 === 0 ? CANARY : 'another'} ${n}`;
      insert.run(n, text, Buffer.from(`${text} ${filling} ${text}`));
      key.run(text, n);
      if (n % 5 === 0)
        connection.prepare('UPDATE values_by_number SET body = substr(body, 1, 40) WHERE n = ?').run(n - 1);
      if (n % 7 === 0) connection.prepare('DELETE FROM keys WHERE n = ?').run(n - 5);
    }
  })();
}

function erase(): void {
  connection.prepare(`DELETE FROM values_by_number WHERE text LIKE '%${CANARY}%'`).run();
  connection.prepare(`DELETE FROM keys WHERE text LIKE '%${CANARY}%'`).run();
}

const rows = () => [
  connection.prepare('SELECT * FROM values_by_number ORDER BY n').all(),
  connection.prepare('SELECT * FROM keys ORDER BY text, n').all(),
];

const stored = () => [file, `${file}-wal`].map((one) => readFileSync(one).toString('latin1')).join('');

function clean(stepMs?: number, between: () => void = () => undefined): number {
  const cleaner = new PageCleaner(file, stepMs);
  for (let last: number | null = Infinity; last !== null;) {
    last = cleaner.step(last);
    between();
  }
  cleaner.close();
  return cleaner.skipped;
}

describe('the cleaner of pages', () => {
  it.each([1, 2, 3, 4])('leaves nothing legible of what was removed, and every row (seed %i)', (seed) => {
    change(randomGenerator(seed), 0, 1_500);
    erase();
    connection.pragma('wal_checkpoint(TRUNCATE)');
    const before = rows();
    expect(stored()).toContain(CANARY);
    expect(clean()).toBe(0);
    expect(stored()).not.toContain(CANARY);
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(rows()).toEqual(before);
  });

  it('leaves nothing for a connection to write back that had the pages in memory', () => {
    change(randomGenerator(7), 0, 600);
    erase();
    connection.pragma('wal_checkpoint(TRUNCATE)');
    rows();
    clean();
    connection.exec(`UPDATE keys SET n = n + 1; UPDATE values_by_number SET text = substr(text, 1, 3)`);
    connection.pragma('wal_checkpoint(TRUNCATE)');
    expect(stored()).not.toContain(CANARY);
  });

  it.each([2, 4, 8])('follows free bytes from page to page while trees are balanced (seed %i)', (seed) => {
    const random = randomGenerator(seed);
    const number = () => Math.floor(random() * 1e9);
    const insert = connection.prepare('INSERT OR IGNORE INTO keys(text, n) VALUES (?, 1)');
    const insertSome = (count: number, word: string) =>
      connection.transaction(() => {
        for (let i = 0; i < count; i += 1)
          insert.run(`${number()} ${i % 3 === 0 ? word : 'x'.repeat(number() % 60)}`);
      })();
    insertSome(6_000, CANARY);
    erase();
    connection.pragma('wal_checkpoint(TRUNCATE)');
    clean(0.2, () => {
      insertSome(40, 'another');
      connection
        .prepare('DELETE FROM keys WHERE text IN (SELECT text FROM keys WHERE text > ? LIMIT 30)')
        .run(`${number()}`);
    });
    connection.pragma('wal_checkpoint(TRUNCATE)');
    expect(stored()).not.toContain(CANARY);
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('keeps up with a connection that writes meanwhile', () => {
    const random = randomGenerator(5);
    change(random, 0, 3_000);
    erase();
    rows();
    let written = 3_000;
    clean(1, () => {
      connection.prepare(`UPDATE keys SET n = n + 100000 WHERE n % 50 = 1 AND n < 100000`).run();
      connection
        .prepare('INSERT INTO values_by_number(n, text, body) VALUES (?, ?, ?)')
        .run(written, 'new', 'new');
      connection.pragma('incremental_vacuum(20)');
      written += 1;
    });
    expect(written).toBeGreaterThan(3_005);
    connection.pragma('wal_checkpoint(TRUNCATE)');
    expect(stored()).not.toContain(CANARY);
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('does not begin while another connection reads an earlier state, and changes nothing then', () => {
    change(randomGenerator(6), 0, 300);
    const reader = new sqliteDriver(file, { readonly: true });
    reader.exec('BEGIN; SELECT count(*) FROM keys');
    reader.prepare('SELECT count(*) FROM keys').get();
    erase();
    const cleaner = new PageCleaner(file);
    expect(cleaner.step(10)).toBe(10);
    cleaner.close();
    reader.close();
    expect(clean()).toBe(0);
    expect(stored()).not.toContain(CANARY);
  });
});
