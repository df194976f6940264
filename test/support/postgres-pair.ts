import { NetworkLink } from './fakes/network-link';
import { serverOfRun } from './postgres';
import { PostgresServer, runSql } from './postgres-server';
import { until } from './until';

/** What a standby is for its primary: whether a commit waits for it. */
export type Replication = 'synchronous' | 'asynchronous';

/** Enough for what a test writes while the standby is cut off. */
const OPTIONS = { wal_keep_size: '64MB' };

/** A primary and its standby, and an address that leads to the primary, also after a failover. */
export class PostgresPair {
  private standby: PostgresServer | null = null;
  private link: NetworkLink | null = null;

  private constructor(
    private server: PostgresServer,
    private readonly address: NetworkLink,
  ) {}

  static async start(options: Readonly<Record<string, string>> = {}): Promise<PostgresPair> {
    const { programs } = await serverOfRun();
    const server = await PostgresServer.start(programs, { ...OPTIONS, ...options });
    return new PostgresPair(server, await NetworkLink.start(server.url));
  }

  /** Where the daemons find the primary. */
  get url(): string {
    return this.address.url;
  }

  get primary(): PostgresServer {
    return this.server;
  }

  async addStandby(replication: Replication): Promise<void> {
    this.link = await NetworkLink.start(this.server.url);
    this.standby = await this.server.startStandby(this.link.url);
    await until('the standby streams', async () => {
      const rows = await runSql(
        this.server.url,
        `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`,
      );
      return rows.length > 0;
    });
    if (replication === 'synchronous') {
      await runSql(this.server.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await runSql(this.server.url, 'SELECT pg_reload_conf()');
      await until('commits wait for it', () => this.doCommitsWait());
    }
  }

  /** From now on, nothing reaches the standby. */
  cutStandby(): void {
    this.link!.stall();
  }

  /** A server tells itself late under load that commits are to wait, later than it says so. */
  private async doCommitsWait(): Promise<boolean> {
    this.link!.stall();
    let isCommitted = false;
    const writing = runSql(this.server.url, `SELECT pg_logical_emit_message(TRUE, 'standby', '')`).then(
      () => (isCommitted = true),
    );
    const isWaiting = async () =>
      (
        await runSql(
          this.server.url,
          `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%emit_message%' AND pid <> pg_backend_pid()`,
        )
      ).length > 0;
    let waited = false;
    await until('it is committed, or waits', async () => isCommitted || (waited = await isWaiting()));
    this.link!.resume();
    await writing;
    return waited;
  }

  /** The primary crashes, the standby is promoted, and the address leads to it. */
  async failOver(): Promise<void> {
    const former = this.server;
    await former.stop('SIGQUIT');
    this.server = this.standby!;
    this.standby = null;
    await runSql(this.server.url, 'SELECT pg_promote(TRUE)');
    this.address.leadTo(this.server.url);
    await this.link!.close();
    await former.remove();
  }

  async stop(): Promise<void> {
    await this.address.close();
    await this.link?.close().catch(() => undefined);
    await this.standby?.remove();
    await this.server.remove();
  }
}
