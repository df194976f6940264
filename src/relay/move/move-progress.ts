import type { PoolClient } from 'pg';
import { UNFINISHED_MOVE } from '../database/postgres/open-postgres';

/** The row that holds the state of the file when the move began; no table has this name. */
const STATE_ROW = '';

/** How far a move is, in the database it moves to: rows and progress are committed together. */
export class MoveProgress {
  constructor(private readonly client: PoolClient) {}

  /** @returns the state of the file when the unfinished move began; null: there is none */
  async readState(): Promise<string | null> {
    const { rows } = await this.client.query<{ found: boolean }>(
      `SELECT to_regclass('${UNFINISHED_MOVE}') IS NOT NULL AS found`,
    );
    if (!rows[0]!.found) return null;
    const [row] = await this.read(STATE_ROW);
    return row?.last ?? null;
  }

  /** From now on no daemon starts on the database. */
  async create(): Promise<void> {
    await this.client.query(
      `CREATE TABLE IF NOT EXISTS ${UNFINISHED_MOVE}(table_name TEXT PRIMARY KEY, last TEXT)`,
    );
  }

  async begin(state: string): Promise<void> {
    await this.client.query(`TRUNCATE ${UNFINISHED_MOVE}`);
    await this.write(STATE_ROW, state);
  }

  /** @returns the key of the last row that was copied, null before the first; undefined: the table was not begun */
  async of(table: string): Promise<unknown[] | null | undefined> {
    const [row] = await this.read(table);
    if (row === undefined) return undefined;
    return row.last === null ? null : (JSON.parse(row.last, reviveBytes) as unknown[]);
  }

  save(table: string, last: unknown[] | null): Promise<void> {
    return this.write(table, last === null ? null : JSON.stringify(last));
  }

  async end(): Promise<void> {
    await this.client.query(`DROP TABLE ${UNFINISHED_MOVE}`);
  }

  private async read(table: string): Promise<{ last: string | null }[]> {
    const { rows } = await this.client.query<{ last: string | null }>(
      `SELECT last FROM ${UNFINISHED_MOVE} WHERE table_name = $1`,
      [table],
    );
    return rows;
  }

  private async write(table: string, last: string | null): Promise<void> {
    await this.client.query(
      `INSERT INTO ${UNFINISHED_MOVE}(table_name, last) VALUES ($1, $2)
       ON CONFLICT (table_name) DO UPDATE SET last = excluded.last`,
      [table, last],
    );
  }
}

/** `JSON.stringify` writes a buffer as an object. */
function reviveBytes(_: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]) : value;
}
