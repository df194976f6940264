import type { PoolClient } from 'pg';
import { UNFINISHED_MOVE } from '../database/postgres/unfinished-move';

/** How far a table was copied: the key of the last row, and whether it was the last of the table. */
export interface TableProgress {
  last: unknown[] | null;
  isComplete: boolean;
}

/** The row that holds the state of the file when the move began; no table has this name. */
const STATE_ROW = '';

/** How far a move is, in the database it moves to: rows and progress are committed together. */
export class MoveProgress {
  constructor(private readonly client: PoolClient) {}

  /** @returns the state of the file when the unfinished move began; null: there is none */
  async readState(): Promise<string | null> {
    await this.client.query(
      `CREATE TABLE IF NOT EXISTS ${UNFINISHED_MOVE}(table_name TEXT PRIMARY KEY, last TEXT, complete BIGINT NOT NULL)`,
    );
    const [row] = await this.read(STATE_ROW);
    return row?.last ?? null;
  }

  async begin(state: string): Promise<void> {
    await this.client.query(`TRUNCATE ${UNFINISHED_MOVE}`);
    await this.write(STATE_ROW, state, false);
  }

  /** @returns null if nothing of the table was copied */
  async of(table: string): Promise<TableProgress | null> {
    const [row] = await this.read(table);
    if (row === undefined) return null;
    return {
      last: row.last === null ? null : (JSON.parse(row.last, reviveBytes) as unknown[]),
      isComplete: row.complete === 1,
    };
  }

  save(table: string, { last, isComplete }: TableProgress): Promise<void> {
    return this.write(table, last === null ? null : JSON.stringify(last), isComplete);
  }

  async end(): Promise<void> {
    await this.client.query(`DROP TABLE ${UNFINISHED_MOVE}`);
  }

  private async read(table: string): Promise<{ last: string | null; complete: number }[]> {
    const { rows } = await this.client.query<{ last: string | null; complete: number }>(
      `SELECT last, complete FROM ${UNFINISHED_MOVE} WHERE table_name = $1`,
      [table],
    );
    return rows;
  }

  private async write(table: string, last: string | null, isComplete: boolean): Promise<void> {
    await this.client.query(
      `INSERT INTO ${UNFINISHED_MOVE}(table_name, last, complete) VALUES ($1, $2, $3)
       ON CONFLICT (table_name) DO UPDATE SET last = excluded.last, complete = excluded.complete`,
      [table, last, isComplete],
    );
  }
}

/** `JSON.stringify` writes a buffer as an object. */
function reviveBytes(_: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]) : value;
}
