import type { PoolClient } from 'pg';
import type { Connection } from '../database/sqlite/sqlite-driver';
import { versionOfBody } from '../ground/record-version';
import type { MoveProgress } from './move-progress';
import {
  countRows,
  listOf,
  quoted,
  readChunk,
  readLastNumbers,
  type Chunk,
  type SourceTable,
} from './source-tables';
import { runTransaction } from '../database/postgres/connect';

/** `done` of `total` rows of a table are copied. */
export type OnCopied = (table: string, done: number, total: number) => void;

/**
 * Copies what an earlier run has not: rows and progress in one transaction per chunk.
 * @returns the number of rows in the table
 */
export async function copyTable(
  connection: Connection,
  client: PoolClient,
  progress: MoveProgress,
  table: SourceTable,
  onCopied: OnCopied,
): Promise<number> {
  const total = countRows(connection, table);
  const insert = await insertInto(client, table);
  const earlier = await progress.of(table.name);
  if (earlier === undefined) {
    // The migrations have filled some tables; the rows of the file replace those.
    await runTransaction(client, async () => {
      await client.query(`DELETE FROM ${quoted(table.name)}`);
      await progress.save(table.name, null);
    });
  }
  let done = earlier === undefined ? 0 : await countCopied(client, table);
  for (let chunk = readChunk(connection, table, earlier ?? null); chunk !== null;) {
    const { rows, last } = chunk;
    await runTransaction(client, async () => {
      await insert(rows);
      await progress.save(table.name, last);
    });
    done += rows.length;
    onCopied(table.name, done, total);
    chunk = readChunk(connection, table, last);
  }
  return total;
}

/**
 * What PostgreSQL keeps elsewhere: the newest event, the next numbers, the identities of recent events, and the versions
 * of those that are not indexed yet.
 */
export async function adaptRows(connection: Connection, client: PoolClient): Promise<void> {
  const tail = connection.prepare<[], { seq: number; body: Buffer }>(
    'SELECT seq, body FROM events WHERE seq > (SELECT indexed_through FROM instance)',
  );
  const versions = new Map<number, number | null>();
  for (const { seq, body } of tail.iterate()) versions.set(seq, versionOfBody(body));
  await client.query(
    `UPDATE events e SET version = t.version FROM unnest($1::bigint[], $2::bigint[]) AS t(seq, version)
     WHERE e.seq = t.seq`,
    [[...versions.keys()], [...versions.values()]],
  );
  await client.query('UPDATE last_event SET seq = (SELECT coalesce(max(seq), 0) FROM events)');
  await client.query(
    `INSERT INTO identities(minute, hash, seq)
     SELECT DISTINCT ON (minute, hash) minute, hash, seq FROM recent_identities ORDER BY minute, hash, seq DESC
     ON CONFLICT (minute, hash) DO UPDATE SET seq = excluded.seq`,
  );
  await client.query('TRUNCATE recent_identities');
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = current_schema() AND is_identity = 'YES'`,
  );
  const columns = new Map(rows.map(({ table, column }) => [table, column]));
  for (const { name, seq } of readLastNumbers(connection))
    if (seq > 0)
      await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [
        quoted(name),
        columns.get(name),
        seq,
      ]);
}

export async function countCopied(client: PoolClient, { name }: SourceTable): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${quoted(name)}`);
  return rows[0]!.count;
}

/** One statement per chunk, with a list of values for each column. */
async function insertInto(
  client: PoolClient,
  { name, columns }: SourceTable,
): Promise<(rows: Chunk['rows']) => Promise<void>> {
  const { rows: found } = await client.query<{ name: string; type: string }>(
    `SELECT column_name AS name, udt_name AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1`,
    [name],
  );
  const types = new Map(found.map((column) => [column.name, column.type]));
  const lists = columns.map((column, i) => `$${i + 1}::${types.get(column)}[]`);
  const sql = `INSERT INTO ${quoted(name)}(${listOf(columns)}) SELECT * FROM unnest(${lists.join(', ')})`;
  return async (rows) => {
    await client.query(
      sql,
      columns.map((column) => rows.map((row) => row[column])),
    );
  };
}
