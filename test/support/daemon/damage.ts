import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';

/** Damages a database that nothing uses: the integrity check finds a NULL in the column `damaged.a`. */
export function damage(file: string): void {
  const connection = new sqliteDriver(file);
  connection.unsafeMode(true);
  connection.exec(`CREATE TABLE damaged(a); INSERT INTO damaged VALUES (NULL); PRAGMA writable_schema = 1;
    UPDATE sqlite_master SET sql = 'CREATE TABLE damaged(a NOT NULL)' WHERE name = 'damaged'`);
  connection.close();
}
