import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';

/** The statements that create a copy of a database in a file that does not exist. */
export function dumpSqlite(file: string): string {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const objects = connection
      .prepare<[], { type: string; name: string; sql: string }>(
        `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite#_%' ESCAPE '#'
         ORDER BY type <> 'table', rowid`,
      )
      .all();
    const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name);
    const lines = objects.map(({ sql }) => `${sql};`);
    for (const table of [...tables, 'sqlite_sequence']) {
      if (table === 'sqlite_sequence') lines.push('DELETE FROM sqlite_sequence;');
      const columns = connection
        .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
        .pluck()
        .all(table);
      const values = columns.map((column) => `quote("${column}")`).join(` || ', ' || `);
      const rows = connection.prepare<[], string>(`SELECT ${values} FROM "${table}"`).pluck().all();
      const names = columns.map((column) => `"${column}"`).join(', ');
      lines.push(...rows.map((row) => `INSERT INTO "${table}"(${names}) VALUES (${row});`));
    }
    return `${lines.join('\n')}\n`;
  } finally {
    connection.close();
  }
}

export function restoreSqlite(file: string, sql: string): void {
  const connection = new sqliteDriver(file);
  try {
    // As the daemon creates its file; without a transaction, each row would be one.
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.exec(`BEGIN; ${sql}; COMMIT`);
  } finally {
    connection.close();
  }
}
