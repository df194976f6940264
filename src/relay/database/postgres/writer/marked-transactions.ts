import { escapeLiteral, type Pool, type PoolClient, type QueryResult } from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { withTimeout } from '../../../ground/with-timeout';
import type { CommitLimits } from '../../journal/group-store';
import { openPool } from '../connect';
import { GENERATION } from '../generation-sql';
import { isStorageFailure } from '../postgres-errors';

/** How often the outcome of a commit is asked for, while it is unknown. */
const ASK_EVERY_MS = 250;

/** Of one question, which may wait for the end of the transaction that it is about. */
const ASK_TIMEOUT_MS = 3_500;

/** What Node's timers can count. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** The database is not the one that this application has read, or has what it does not know of: nothing was written. */
export class ApplicationOutdated extends Error {}

/**
 * Counts a transaction, after the server has ended an earlier one whose connection was lost. Prepared in each session
 * of a writer, since to parse and plan it would cost five times as much as to run it.
 */
export const prepareMark = (writer: string) =>
  `PREPARE mark AS INSERT INTO writers(name, n) VALUES (${escapeLiteral(writer)}, 1)
   ON CONFLICT (name) DO UPDATE SET n = writers.n + 1 RETURNING n, ${GENERATION} AS generation`;

/**
 * The transactions of one writer, one at a time. Each counts itself in the row of its writer, which shows whether it
 * was committed; PostgreSQL may assign a transaction id again, after a crash or a failover.
 */
export class MarkedTransactions {
  /** How many were committed, as far as is known. */
  private committed = 0;
  /** The number of the last one whose outcome stayed unknown. */
  private doubted = 0;
  /**
   * @param writer its name among the writers of all daemons, used once
   * @param generation in which the application has read the database
   * @param isClosing ends all waiting
   */
  constructor(
    private readonly url: string,
    private readonly writer: string,
    private readonly generation: number,
    private readonly isClosing: () => boolean,
  ) {}

  /**
   * Runs work in a transaction, on disk when it returns. If the connection breaks during the commit, the database is
   * asked whether it was stored.
   * @param work begins at once. `counted` is the number of the transaction; if it rejects, the work is undone
   * @throws ApplicationOutdated if nothing may be written any more
   */
  async run<T>(
    pool: Pool,
    work: (client: PoolClient, counted: Promise<number>) => Promise<T>,
    { commitMs, doubtMs }: CommitLimits = { commitMs: NO_LIMIT_MS, doubtMs: NO_LIMIT_MS },
  ): Promise<T> {
    const started = performance.now();
    const client = await connectWithin(pool, commitMs);
    // The statements that run then fail; `end` would wait for them.
    const endAfter = (ms: number) =>
      setTimeout(() => client.connection.stream.destroy(), started + ms - performance.now());
    let limit = endAfter(commitMs);
    let done: { result: T; n: number } | null = null;
    try {
      const counted = this.mark(client);
      const [n, result] = await Promise.all([counted, work(client, counted)]);
      done = { result, n };
      clearTimeout(limit);
      limit = endAfter(doubtMs);
      if (await commit(client)) client.release();
      else throw new Error('the commit did not wait for the standby');
    } catch (error) {
      // The connection may still be in the transaction.
      client.release(true);
      if (done === null || !isStorageFailure(error)) throw error;
      const wasStored = await this.wasStored(done.n, started + doubtMs);
      if (wasStored === null) this.doubted = done.n;
      if (wasStored !== true) throw error;
    } finally {
      clearTimeout(limit);
    }
    this.committed = done.n;
    return done.result;
  }

  /** @returns the number of the transaction */
  private async mark(client: PoolClient): Promise<number> {
    const results = (await client.query('BEGIN; EXECUTE mark')) as unknown as QueryResult<{
      n: number;
      generation: number | null;
    }>[];
    const { n, generation } = results[1]!.rows[0]!;
    // Behind: the server has lost a transaction. Ahead: one was stored in doubt, found like those of other daemons.
    const isExpected = n > this.committed && n <= Math.max(this.committed, this.doubted) + 1;
    if (generation !== this.generation || !isExpected) throw new ApplicationOutdated();
    return n;
  }

  /** @returns null if that is unknown at `until`, by the monotonic clock of the process */
  private async wasStored(n: number, until: number): Promise<boolean | null> {
    while (!this.isClosing() && performance.now() < until) {
      const stored = await withTimeout(
        this.countStored().catch(() => null),
        until - performance.now(),
        null,
      );
      if (stored !== null) return stored >= n;
      await wait(ASK_EVERY_MS);
    }
    return null;
  }

  /**
   * On a new connection, so that the present primary answers. The row is written, which waits for the end of the
   * transaction in question, and for standbys: what is returned survives a failover as far as anything does.
   */
  private async countStored(): Promise<number> {
    const pool = openPool(this.url, 1, { queryTimeoutMs: ASK_TIMEOUT_MS });
    try {
      const { rows } = await pool.query<{ n: number }>(
        'INSERT INTO writers(name, n) VALUES ($1, 0) ON CONFLICT (name) DO UPDATE SET n = writers.n RETURNING n',
        [this.writer],
      );
      return rows[0]!.n;
    } finally {
      await pool.end();
    }
  }
}

/** @returns false if the server says that it has committed without what it was to wait for */
async function commit(client: PoolClient): Promise<boolean> {
  let isWarned = false;
  const warn = () => (isWarned = true);
  client.on('notice', warn);
  await client.query('COMMIT');
  client.off('notice', warn);
  return !isWarned;
}

async function connectWithin(pool: Pool, limitMs: number): Promise<PoolClient> {
  const connecting = pool.connect();
  const client = await withTimeout(connecting, limitMs, null);
  if (client !== null) return client;
  connecting.then(
    (late) => late.release(),
    () => undefined,
  );
  throw new Error('timeout exceeded when trying to connect');
}
