import { Client, type Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { Journal } from '../../../src/relay/database/journal/journal';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { openPostgresSource } from '../../../src/relay/database/postgres/open-postgres';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { PostgresReader } from '../../../src/relay/database/postgres/postgres-reader';
import type { MatchedBody, Reader } from '../../../src/relay/database/reading/reader';
import type { Clock } from '../../../src/relay/ground/clock';
import type { Log } from '../../../src/relay/ground/log';
import type { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { ENTITIES } from '../../../src/relay/relay.module';
import { NOT_LEADING } from '../daemon/scratch-postgres';
import type { TestPostgres } from '../postgres';
import type { Disk } from './disk';
import type { Faults } from './faults';

type Query = (...parameters: unknown[]) => unknown;
type Callback = (error: Error | null, result?: unknown) => void;

interface Session {
  connectionParameters: { application_name?: string };
  connection: { stream: { destroy(): void } };
}

/** Another promise each time: one for all would keep every killed daemon in memory, which waits for it. */
const never = () => new Promise<never>(() => undefined);

/** Of the daemons, not of the test. */
const isOfDaemon = ({ connectionParameters }: Session) =>
  connectionParameters.application_name?.startsWith('daemon') === true;

/** The methods of the driver's clients. */
function originals(): Record<'query' | 'connect', Query> {
  const { query, connect } = Client.prototype as unknown as Record<'query' | 'connect', Query>;
  return { query, connect };
}

/** What a new database has, apart from what began with the server. */
const CLEAR = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
    AND tablename NOT IN ('migrations', 'generations', 'instance', 'last_event', 'leader', 'event_bytes', 'rejection_drops')
  LOOP EXECUTE 'DELETE FROM ' || quote_ident(name); END LOOP; END $$;
  UPDATE instance SET tag = 1, indexed_through = 0, pruned_through = 0,
    floor_through = 0, floor_since = NULL; UPDATE last_event SET seq = 0;
  UPDATE event_bytes SET counted_through = 0, bytes = 0;
  SELECT setval(pg_get_serial_sequence(name, 'number'), 1, FALSE) FROM unnest(ARRAY['targets', 'replays']) AS t(name);
  INSERT INTO target_owners(target, daemon, epoch) SELECT n, '${NOT_LEADING.daemon}', 0 FROM generate_series(1, 50) n`;

/** Its thread for bodies is under way as statements are. */
class WatchedReader extends PostgresReader {
  watch: <Result>(work: Promise<Result>) => Promise<Result> = (work) => work;

  override matchBodies<Key extends number | string>(
    ...given: Parameters<Reader['matchBodies']>
  ): Promise<MatchedBody<Key>[]> {
    return this.watch(super.matchBodies(...given)) as Promise<MatchedBody<Key>[]>;
  }
}

/** A database in PostgreSQL, whose statements are counted, and whose commits and connections fail. */
export class PostgresDisk implements Disk {
  readonly isShared = true;
  readonly faults = ['fails', 'killed before', 'killed after', 'breaks before', 'breaks after'] as const;
  private statements = 0;
  private waiting: (() => void)[] = [];
  private planned: Faults | null = null;
  private epoch = 0;
  private daemons = 0;
  private readonly originals = originals();

  private constructor(
    private readonly url: string,
    private readonly drop: () => Promise<void>,
    readonly source: DataSource,
    private readonly pool: Pool,
    readonly reader: WatchedReader,
  ) {
    reader.watch = (work) => this.counted(() => work, null, []) as typeof work;
    this.countStatements();
  }

  static async create(postgres: TestPostgres): Promise<PostgresDisk> {
    const url = await postgres.createMigrated();
    const source = await openPostgresSource(url, ENTITIES);
    const pool = openPool(url, 1);
    return new PostgresDisk(url, () => postgres.drop(url), source, pool, new WatchedReader(openPool(url, 1)));
  }

  idle(): Promise<void> | null {
    if (this.statements === 0) return null;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async clear(): Promise<void> {
    await this.pool.query(CLEAR);
  }

  async open(clock: Clock, bounds: TimeBounds, log: Log, faults: Faults): Promise<Journal> {
    this.planned = faults;
    this.epoch += 1;
    this.daemons += 1;
    await this.pool.query(`UPDATE leader SET epoch = ${this.epoch}, daemon = '${NOT_LEADING.daemon}';
      UPDATE target_owners SET epoch = ${this.epoch}`);
    const { epoch } = this;
    const url = new URL(this.url);
    url.searchParams.set('application_name', `daemon ${this.daemons}`);
    const shared = { ...NOT_LEADING, epoch, epochOf: () => epoch };
    const journal = await PostgresJournal.open(url.href, clock, bounds, log, shared);
    journal.start();
    return journal;
  }

  async kill(): Promise<void> {
    this.planned = null;
    await this.pool.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'daemon ${this.daemons}'`,
    );
  }

  async rows<Row>(sql: string): Promise<Row[]> {
    return (await this.pool.query(sql)).rows as Row[];
  }

  async remove(): Promise<void> {
    Object.assign(Client.prototype, this.originals);
    await this.source.destroy();
    await this.reader.close();
    await this.pool.end();
    await this.drop();
  }

  /** Counts the statements under way of all clients, and lets faults happen at the commits of daemons. */
  private countStatements(): void {
    const { query, connect } = this.originals;
    const counted = (run: Query) => (client: unknown, given: unknown[]) => this.counted(run, client, given);
    const [countedQuery, countedConnect] = [counted(query), counted(connect)];
    const commit = (client: unknown, given: unknown[]) => this.commit(countedQuery, client as Session, given);
    Object.assign(Client.prototype, {
      query(this: unknown, ...given: unknown[]) {
        return given[0] === 'COMMIT' && isOfDaemon(this as Session)
          ? commit(this, given)
          : countedQuery(this, given);
      },
      connect(this: unknown, ...given: unknown[]) {
        return countedConnect(this, given);
      },
    });
  }

  private counted(run: Query, client: unknown, given: unknown[]): unknown {
    this.statements += 1;
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      this.statements -= 1;
      if (this.statements === 0) for (const resolve of this.waiting.splice(0)) resolve();
    };
    const last = given.findLastIndex((one) => typeof one === 'function');
    if (last < 0) {
      const result = run.apply(client, given) as Promise<unknown>;
      return result.finally(done);
    }
    const callback = given[last] as Callback;
    const counting: Callback = (error, result) => {
      done();
      callback(error, result);
    };
    return run.apply(client, given.with(last, counting));
  }

  private async commit(
    run: (client: unknown, given: unknown[]) => unknown,
    client: Session,
    given: unknown[],
  ): Promise<unknown> {
    const fault = this.planned?.take() ?? null;
    if (fault === 'killed before') return never();
    if (fault === 'fails') {
      await run(client, ['ROLLBACK']);
      throw Object.assign(new Error('could not write'), { code: '58030' });
    }
    if (fault === 'breaks before') client.connection.stream.destroy();
    const result = await run(client, given);
    if (fault === 'killed after') return never();
    if (fault !== 'breaks after') return result;
    client.connection.stream.destroy();
    throw new Error('Connection terminated unexpectedly');
  }
}
