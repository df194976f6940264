import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { GroupJournal } from '../../../src/relay/database/journal/group-journal';
import type { Reader } from '../../../src/relay/database/reading/reader';
import { defineBodyFunctions } from '../../../src/relay/database/sqlite/body-functions';
import { migrateDatabase, openReadingSource } from '../../../src/relay/database/sqlite/open-database';
import { SqliteQueueReads } from '../../../src/relay/database/sqlite/queue-reads';
import {
  bindable,
  sqliteDriver,
  type Connection,
  type SqliteStatement,
} from '../../../src/relay/database/sqlite/sqlite-driver';
import { SqliteReader } from '../../../src/relay/database/sqlite/sqlite-reader';
import type { Clock } from '../../../src/relay/ground/clock';
import type { Log } from '../../../src/relay/ground/log';
import type { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { ENTITIES } from '../../../src/relay/relay.module';
import type { Disk } from './disk';
import type { Faults } from './faults';
import { FaultyWriter } from './faulty-writer';

/** Reads in this thread: the daemon's own reader has one of its own. */
class InlineReader extends SqliteReader {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(
    file: string,
    private readonly connection: Connection,
  ) {
    super(file);
  }

  override async all<Row>([sql, parameters]: [sql: string, parameters: unknown[]]): Promise<Row[]> {
    let statement = this.statements.get(sql);
    if (statement === undefined) this.statements.set(sql, (statement = this.connection.prepare(sql)));
    return statement.all(...parameters.map(bindable)) as Row[];
  }
}

/** One SQLite file for many runs, which each begin with an empty database. */
export class SqliteDisk implements Disk {
  readonly isShared = false;
  readonly faults = ['fails', 'killed before', 'killed after'] as const;
  private opened: { queue: SqliteQueueReads; writer: FaultyWriter } | null = null;

  private constructor(
    private readonly folder: string,
    private readonly file: string,
    private readonly connection: Connection,
    readonly source: DataSource,
    readonly reader: Reader,
    private readonly tables: readonly string[],
  ) {}

  static async create(): Promise<SqliteDisk> {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-model-'));
    const file = join(folder, 'switchboard.db');
    await migrateDatabase(file);
    const connection = new sqliteDriver(file);
    defineBodyFunctions(connection);
    connection.exec('UPDATE instance SET tag = 1');
    // The empty database, for the next runs.
    connection.exec(`VACUUM INTO '${join(folder, 'empty.db')}'`);
    connection.exec(`ATTACH '${join(folder, 'empty.db')}' AS empty`);
    const tables = connection
      .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'sqlite_schema'")
      .pluck()
      .all() as string[];
    const source = await openReadingSource(file, ENTITIES);
    return new SqliteDisk(folder, file, connection, source, new InlineReader(file, connection), tables);
  }

  idle(): null {
    return null;
  }

  async open(clock: Clock, bounds: TimeBounds, log: Log, faults: Faults): Promise<GroupJournal> {
    const writer = new FaultyWriter(this.file, faults);
    const queue = new SqliteQueueReads(this.file, async () => []);
    this.opened = { writer, queue };
    return new GroupJournal(writer, queue, clock, bounds, log);
  }

  async kill(): Promise<void> {
    this.opened?.writer.kill();
    await this.opened?.queue.close();
    await this.opened?.writer.close();
    this.opened = null;
  }

  rows<Row>(sql: string): Promise<Row[]> {
    return this.reader.all<Row>([sql, []]);
  }

  async clear(): Promise<void> {
    const statements = this.tables.map(
      (name) => `DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM empty.${name};`,
    );
    this.connection.exec(`BEGIN; ${statements.join(' ')} COMMIT`);
  }

  async remove(): Promise<void> {
    await this.source.destroy();
    this.connection.close();
    rmSync(this.folder, { recursive: true });
  }
}
