import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { Journal } from '../../../src/relay/database/journal/journal';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { openPostgresSource } from '../../../src/relay/database/postgres/open-postgres';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { PostgresReader } from '../../../src/relay/database/postgres/postgres-reader';
import type { Reader } from '../../../src/relay/database/reading/reader';
import type { StoreTools } from '../../../src/relay/database/store';
import type { Log } from '../../../src/relay/ground/log';
import type { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { runSql, type TestPostgres } from '../postgres';
import { ScratchStore } from './scratch-journal';

/** A daemon that does not lead, and owns the first targets. */
export const NOT_LEADING = {
  daemon: 'dmn_test',
  epoch: null,
  epochOf: (): number | null => 1,
  onNotLeader: () => undefined,
  onOutdated: () => undefined,
  generations: { committed: () => undefined, stored: () => undefined },
  announce: () => undefined,
};

const OWN_TARGETS = `INSERT INTO target_owners(target, daemon, epoch) SELECT n, '${NOT_LEADING.daemon}', 1 FROM generate_series(1, 100) n`;

/** A journal and a reader on a database of their own in PostgreSQL, with a stopped clock. */
export class ScratchPostgres extends ScratchStore {
  readonly reader: Reader;
  readonly groupsOfMixedWork = 2;
  private readonly pool: Pool;

  private constructor(
    readonly url: string,
    private readonly drop: () => Promise<void>,
  ) {
    super();
    this.reader = new PostgresReader(openPool(url, 2));
    this.pool = openPool(url, 1);
  }

  static async open(postgres: TestPostgres): Promise<ScratchPostgres> {
    const url = await postgres.createMigrated();
    const scratch = new ScratchPostgres(url, () => postgres.drop(url));
    await scratch.exec(OWN_TARGETS);
    await scratch.reopen();
    return scratch;
  }

  protected openJournal(bounds: TimeBounds, log: Log): Promise<Journal> {
    return PostgresJournal.open(this.url, this.clock, bounds, log, NOT_LEADING);
  }

  openSource(entities: StoreTools['entities']): Promise<DataSource> {
    return openPostgresSource(this.url, entities);
  }

  async remove(): Promise<void> {
    await this.reader.close();
    await this.close();
    await this.pool.end();
    await this.drop();
  }

  async rows<Row>(sql: string, ...parameters: unknown[]): Promise<Row[]> {
    return (await this.pool.query(sql, parameters)).rows as Row[];
  }

  async count(table: string): Promise<number> {
    const [row] = await this.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    return row!.count;
  }

  async exec(sql: string): Promise<void> {
    await this.pool.query(sql);
  }

  async reject(change: 'INSERT' | 'DELETE', table: string, rows: string): Promise<void> {
    await runSql(
      this.url,
      `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = 'check_violation'; END $$;
       CREATE TRIGGER poison BEFORE ${change} ON ${table} FOR EACH ROW WHEN (${rows}) EXECUTE FUNCTION poison()`,
    );
  }

  async accept(table: string): Promise<void> {
    await runSql(this.url, `DROP TRIGGER poison ON ${table}; DROP FUNCTION poison`);
  }

  async holdWriter(): Promise<() => void> {
    const client = await this.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT seq FROM last_event FOR UPDATE');
    return () => client.release(true);
  }
}
