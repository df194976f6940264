import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../../../src/relay/database/migrations/migrations';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';

/** Turns a database that nothing uses into one of the first release. */
export async function revertToFirstSchema(file: string): Promise<void> {
  const connection = new sqliteDriver(file);
  const query = async (sql: string) => void connection.exec(sql);
  try {
    for (const Migration of MIGRATIONS.slice(1).toReversed()) {
      await new Migration().down({ query } as unknown as QueryRunner);
      connection.prepare('DELETE FROM migrations WHERE name = ?').run(Migration.name);
    }
  } finally {
    connection.close();
  }
}
