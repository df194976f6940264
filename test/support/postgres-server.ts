import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { killWithParent } from './daemon/kill-with-parent';
import { freePort } from './free-port';
import { copyPostgres, postgresUser } from './postgres-programs';
import { until } from './until';

/** The variable with the address where a Jest run offers its server. */
export const POSTGRES_OFFER = 'TEST_POSTGRES_OFFER';

/** What a server in memory needs, and nothing to weaken what is on disk when a commit returns. */
const SERVER_OPTIONS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // In the folder of its data, so that nothing is left if it is killed.
  dynamic_shared_memory_type: 'mmap',
  max_connections: '400',
  shared_buffers: '32MB',
  max_wal_size: '64MB',
  autovacuum_naptime: '10s',
  // Processes of their own for reading and writing would wait for a busy machine.
  io_method: 'sync',
};

/** A PostgreSQL server from an npm package, whose data is in a temporary folder. */
export class PostgresServer {
  private process: ChildProcess | null = null;
  private guard: ChildProcess | null = null;

  private constructor(
    /** The folder of the server's programs. */
    readonly programs: string,
    private readonly isCopy: boolean,
    private readonly folder: string,
    private readonly port: number,
    private readonly options: Readonly<Record<string, string>> = {},
  ) {}

  /** @param programs those of another server, which must not be removed earlier; by default a copy of its own */
  static async start(programs?: string, options = {}): Promise<PostgresServer> {
    const copy = programs ?? copyPostgres();
    const folder = mkdtempSync(join(dirname(copy), 'postgres-data-'));
    const server = new PostgresServer(copy, programs === undefined, folder, await freePort(), options);
    await server.createData();
    await server.start();
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /**
   * Starts a standby of this server, also while that is in use.
   * @param primaryUrl where it reaches this server
   */
  async startStandby(primaryUrl: string): Promise<PostgresServer> {
    const folder = mkdtempSync(join(dirname(this.programs), 'postgres-data-'));
    const { hostname, port } = new URL(primaryUrl);
    const primary_conninfo = `host=${hostname} port=${port} user=postgres application_name=standby`;
    const options = { ...this.options, primary_conninfo };
    const standby = new PostgresServer(this.programs, false, folder, await freePort(), options);
    if (postgresUser.uid !== undefined) chmodSync(folder, 0o711);
    const backup = new Client({ connectionString: this.url });
    await backup.connect();
    try {
      await backup.query(`SELECT pg_backup_start('standby', TRUE)`);
      // Files that the server removes meanwhile may be missing.
      await promisify(execFile)('cp', ['-a', this.data, standby.data]).catch(() => undefined);
      const { rows } = await backup.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(FALSE)',
      );
      standby.write('backup_label', rows[0]!.labelfile);
    } finally {
      await backup.end();
    }
    rmSync(join(standby.data, 'postmaster.pid'));
    standby.write('standby.signal', '');
    await standby.start();
    return standby;
  }

  /** Sends SIGKILL to a server process, as the kernel does when memory is short: the server then restarts all its sessions. */
  kill(pid: number): void {
    process.kill(pid, 'SIGKILL');
  }

  async start(): Promise<void> {
    const options = Object.entries({ ...SERVER_OPTIONS, ...this.options, port: String(this.port) });
    this.process = spawn(
      join(this.programs, 'bin/postgres'),
      ['-D', this.data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { stdio: 'ignore', cwd: this.folder, ...postgresUser },
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
    await this.stop('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
    if (this.isCopy) rmSync(this.programs, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private write(name: string, text: string): void {
    const file = join(this.data, name);
    writeFileSync(file, text);
    if (postgresUser.uid !== undefined) chownSync(file, postgresUser.uid, postgresUser.gid);
  }

  private async createData(): Promise<void> {
    mkdirSync(this.data, { mode: 0o700 });
    if (postgresUser.uid !== undefined) {
      chmodSync(this.folder, 0o711);
      chownSync(this.data, postgresUser.uid, postgresUser.gid);
    }
    const options = ['-D', this.data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-locale'];
    await promisify(execFile)(
      join(this.programs, 'bin/initdb'),
      [...options, '--wal-segsize=1', '--no-instructions'],
      { cwd: this.folder, ...postgresUser },
    );
  }
}

/** Runs statements on a connection of their own. */
export async function runSql<Row = unknown>(
  url: string,
  sql: string,
  parameters?: unknown[],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows as Row[];
  } finally {
    await client.end();
  }
}
