/** A statement with its parameters: values for each `?`, or a single object for `@name`. */
export type Statement = [sql: string, parameters: unknown[]];

/** Statements that run in the transaction of a change. */
export interface Attachment {
  statements: Statement[];
  /** @param rows for each statement, on disk; null if neither the change nor the attachment was stored */
  onStored(rows: unknown[][] | null): void;
}

/** Values by column. */
type Row = Record<string, unknown>;

export function insert(table: string, row: Row): Statement {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?');
  return [`INSERT INTO ${table}(${columns.join(', ')}) VALUES (${marks.join(', ')})`, Object.values(row)];
}

/** Inserts a row, or updates the one with the same value in the column `key`. */
export function upsert(table: string, key: string, row: Row): Statement {
  const [sql, parameters] = insert(table, row);
  const updates = Object.keys(row).filter((column) => column !== key);
  const assignments = updates.map((column) => `${column} = excluded.${column}`);
  return [`${sql} ON CONFLICT(${key}) DO UPDATE SET ${assignments.join(', ')}`, parameters];
}

export function update(table: string, id: string | number, changes: Row): Statement {
  const assignments = Object.keys(changes).map((column) => `${column} = ?`);
  return [`UPDATE ${table} SET ${assignments.join(', ')} WHERE id = ?`, [...Object.values(changes), id]];
}
