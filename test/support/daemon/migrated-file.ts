import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '../../../src/relay/database/sqlite/open-database';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-template-'));
const template = join(folder, 'switchboard.db');
afterAll(() => rmSync(folder, { recursive: true }));
let created: Promise<unknown> | null = null;

/** Creates an empty database of an instance of its own, which a copy does faster than migrations; an existing one is kept. */
export async function createMigratedFile(file: string): Promise<void> {
  if (existsSync(file)) return;
  await (created ??= migrateDatabase(template));
  copyFileSync(template, file);
  const connection = new sqliteDriver(file);
  connection.exec('UPDATE instance SET tag = abs(random() % 1099511627776)');
  connection.close();
}
