import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { preparePostgres } from '../../src/relay/database/postgres/prepare-postgres';
import { POSTGRES_OFFER, PostgresServer, runSql } from './postgres-server';

export { runSql } from './postgres-server';

/**
 * Databases for tests on a PostgreSQL server: the one that `TEST_POSTGRES_URL` leads to, whose role must be allowed to create
 * databases, or one from an npm package, which all workers of Jest share.
 */
export class TestPostgres {
  private readonly created = new Set<string>();
  private template: Promise<string> | null = null;

  private constructor(
    /** Leads to a database of a role that may create others. */
    private readonly adminUrl: string,
    private readonly server: PostgresServer | null,
  ) {}

  static async start(): Promise<TestPostgres> {
    const given = process.env['TEST_POSTGRES_URL'];
    return new TestPostgres(given ?? (await serverOfRun()).url, null);
  }

  /** Starts a server that a test stops and starts. */
  static async startOwn(): Promise<TestPostgres> {
    const server = await PostgresServer.start((await serverOfRun()).programs);
    return new TestPostgres(server.url, server);
  }

  /** @param url of a server that the test starts and ends itself */
  static at(url: string): TestPostgres {
    return new TestPostgres(url, null);
  }

  /** The server of its own. */
  get own(): PostgresServer {
    if (this.server === null) throw new Error('Other tests use this server: start one with startOwn.');
    return this.server;
  }

  /** @returns the address of a new, empty database */
  async createDatabase(options = ''): Promise<string> {
    const name = `switchboard_test_${uniquePart()}`;
    await this.admin(`CREATE DATABASE ${name} ${options}`);
    const url = new URL(this.adminUrl);
    url.pathname = `/${name}`;
    this.created.add(url.href);
    return url.href;
  }

  /** @returns the address of a new database with the tables of this version */
  async createMigrated(): Promise<string> {
    this.template ??= this.createTemplate();
    // Copying its files takes half of what logging its pages does.
    return this.createDatabase(`TEMPLATE ${await this.template} STRATEGY FILE_COPY`);
  }

  /** @param url of a database that was created here */
  async drop(url: string): Promise<void> {
    await this.admin(`DROP DATABASE IF EXISTS ${nameOf(url)} WITH (FORCE)`);
    this.created.delete(url);
  }

  /** @returns the address of a copy of a database that nobody is connected to */
  copyDatabase(url: string): Promise<string> {
    return this.createDatabase(`TEMPLATE ${nameOf(url)}`);
  }

  /** Locks a table of a database, by default against changes. @returns a function that releases the lock */
  async holdTable(url: string, table: string, mode = 'EXCLUSIVE'): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
    return () => client.end();
  }

  /** Runs a statement in the database of the administrator. */
  async admin(sql: string): Promise<void> {
    await runSql(this.adminUrl, sql);
  }

  async stop(): Promise<void> {
    if (this.server !== null) return this.server.remove();
    for (const url of this.created) await this.drop(url);
  }

  /** On a server that ends with the run, all workers and files share it. */
  private async createTemplate(): Promise<string> {
    const create = async () => {
      const url = await this.createDatabase();
      await preparePostgres(url);
      return url;
    };
    if (this.adminUrl === process.env['TEST_POSTGRES_URL']) return nameOf(await create());
    const client = new Client({ connectionString: this.adminUrl });
    await client.connect();
    try {
      await client.query('SELECT pg_advisory_lock(1)');
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [TEMPLATE]);
      if (rowCount === 0) {
        const url = await create();
        this.created.delete(url);
        await client.query(`ALTER DATABASE ${nameOf(url)} RENAME TO ${TEMPLATE}`);
      }
    } finally {
      await client.end();
    }
    return TEMPLATE;
  }
}

/** The server of the run, and the folder of its programs. */
export async function serverOfRun(): Promise<{ url: string; programs: string }> {
  const response = await fetch(process.env[POSTGRES_OFFER]!);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { url: string; programs: string };
}

const TEMPLATE = 'switchboard_template';

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Several test files, processes and runs share a server. */
const uniquePart = () => randomBytes(6).toString('hex');
