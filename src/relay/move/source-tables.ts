import type { Connection } from '../database/sqlite/sqlite-driver';

/** A table of the SQLite file. */
export interface SourceTable {
  name: string;
  columns: readonly string[];
  /** The columns of its primary key, in order; `rowid` if it has none. */
  key: readonly string[];
}

/** A part of a table, and the key of its last row. */
export interface Chunk {
  rows: Record<string, unknown>[];
  last: unknown[];
}

/** What a chunk holds at most; a row may be larger. */
const CHUNK_ROWS = 5_000;
const CHUNK_BYTES = 8 * 1024 * 1024;

export const quoted = (name: string) => `"${name}"`;
export const listOf = (names: readonly string[]) => names.map(quoted).join(', ');

/** All tables except those of SQLite itself and the list of migrations, which the other database has. */
export function readTables(connection: Connection): SourceTable[] {
  const names = connection
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite#_%' ESCAPE '#' AND name <> 'migrations'
       ORDER BY name`,
    )
    .pluck()
    .all();
  return names.map((name) => {
    const columns = connection
      .prepare<[string], { name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?)')
      .all(name);
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    return {
      name,
      columns: columns.map((column) => column.name),
      key: key.length === 0 ? ['rowid'] : key.map((column) => column.name),
    };
  });
}

export const countRows = (connection: Connection, { name }: SourceTable): number =>
  connection
    .prepare<[], number>(`SELECT count(*) FROM ${quoted(name)}`)
    .pluck()
    .get()!;

/** @param after the key of the last row that is not wanted; null: from the first row on */
export function readChunk(
  connection: Connection,
  { name, columns, key }: SourceTable,
  after: readonly unknown[] | null,
): Chunk | null {
  const from = after === null ? '' : `WHERE (${listOf(key)}) > (${key.map(() => '?').join(', ')})`;
  const statement = connection.prepare<unknown[], Record<string, unknown>>(
    `SELECT ${listOf(key)}, ${listOf(columns)} FROM ${quoted(name)} ${from} ORDER BY ${listOf(key)} LIMIT ${CHUNK_ROWS}`,
  );
  const rows: Record<string, unknown>[] = [];
  let bytes = 0;
  for (const row of statement.iterate(...(after ?? []))) {
    rows.push(row);
    for (const value of Object.values(row))
      if (typeof value === 'string' || Buffer.isBuffer(value)) bytes += value.length;
    if (bytes >= CHUNK_BYTES) break;
  }
  const last = rows.at(-1);
  return last === undefined ? null : { rows, last: key.map((column) => last[column]) };
}

/** The highest number that each table with numbered rows has given, also to rows that are gone. */
export const readLastNumbers = (connection: Connection): { name: string; seq: number }[] =>
  connection
    .prepare<[], { name: string; seq: number }>(
      `SELECT name, seq FROM sqlite_sequence WHERE name <> 'migrations'`,
    )
    .all();

/** Changes whenever a daemon has run on the file. */
export const readState = (connection: Connection): string =>
  JSON.stringify(
    connection
      .prepare(
        `SELECT (SELECT tag FROM instance) AS tag, (SELECT at FROM heartbeat) AS heartbeat,
           (SELECT wall_at FROM clock) AS clock, (SELECT max(seq) FROM events) AS seq, (SELECT max(number) FROM audit) AS audit`,
      )
      .get(),
  );
