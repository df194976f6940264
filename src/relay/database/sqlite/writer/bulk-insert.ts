import type { Connection, SqliteStatement } from '../sqlite-driver';

/** The rows of one statement; the rest of them is inserted by the smaller statements. */
const SIZES = [64, 16, 4, 1];

/**
 * Inserts rows of one table many at a time: to run a statement takes about as long as to insert one more row. Rows are
 * in the table only after `flush`.
 */
export class BulkInsert {
  private readonly statements: { length: number; statement: SqliteStatement }[];
  private parameters: unknown[] = [];

  /** @param row the values of one row, such as `(?, ?, 0)` */
  constructor(connection: Connection, insert: string, row: string) {
    const width = row.split('?').length - 1;
    this.statements = SIZES.map((size) => ({
      length: size * width,
      statement: connection.prepare(`${insert} VALUES ${Array.from({ length: size }, () => row).join(', ')}`),
    }));
  }

  add(...values: unknown[]): void {
    this.parameters.push(...values);
    if (this.parameters.length === this.statements[0]!.length) this.flush();
  }

  flush(): void {
    const { parameters } = this;
    let from = 0;
    for (const { length, statement } of this.statements)
      for (; from + length <= parameters.length; from += length)
        statement.run(parameters.slice(from, from + length));
    this.parameters = [];
  }

  /** Forgets the rows that have not been inserted. */
  clear(): void {
    this.parameters = [];
  }
}
