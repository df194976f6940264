import type { Pool } from 'pg';
import type { Log } from '../../ground/log';
import { PollLoop } from '../../ground/poll-loop';
import { inGeneration } from './generation-sql';
import type { RecordedCommit } from './writer/record-commit';

/** A poll finds what a lost notice would have announced. */
const POLL_EVERY_MS = 1_000;
const REMOVE_EVERY_MS = 10_000;

/** Longer than a lease: an application that has not read for that long was replaced by one that has read the tables. */
const KEEP_MS = 60_000;

const READ = `SELECT c.writer, c.n, c.content FROM unnest($1::text[], $2::bigint[]) AS read(writer, through)
  JOIN commits c ON c.writer = read.writer AND c.n > read.through`;

/** How far a reader has read, by writer. */
export type CommitPositions = ReadonlyMap<string, number>;

/** The positions after everything that the same statement sees. */
export const COMMIT_POSITIONS = `(SELECT coalesce(json_object_agg(writer, n), '{}')::text
  FROM (SELECT writer, max(n) AS n FROM commits GROUP BY writer) newest)`;

export const parsePositions = (json: string): CommitPositions =>
  new Map(Object.entries(JSON.parse(json) as Record<string, number>));

/**
 * Publishes what other daemons have committed apart from events: to the leader everything, and to the owners of targets
 * what concerns them. The commits of each daemon are published in their order, each once.
 */
export class CommitFeed extends PollLoop {
  /** By writer, the number of the last commit that was read. */
  private readonly through = new Map<string, number>();
  private mustFindWriters = true;
  private removedAt = performance.now();

  /** @param own the name of this application among the writers */
  constructor(
    private readonly pool: Pool,
    private readonly generation: number,
    private readonly own: string,
    private readonly leads: boolean,
    private readonly publish: (commit: RecordedCommit) => void,
    log: Log,
  ) {
    super((error) => log.warn({ err: error }, 'commits of other daemons not read'), POLL_EVERY_MS);
  }

  /** Skips what was committed before; only until it publishes. */
  startAt(positions: CommitPositions): void {
    for (const [writer, n] of positions) this.through.set(writer, n);
  }

  /** @param writer the one that may have committed something; default: any */
  override poll(writer?: string): void {
    if (writer === this.own) return;
    if (writer === undefined) this.mustFindWriters = true;
    else if (!this.through.has(writer)) this.through.set(writer, 0);
    super.poll();
  }

  protected async read(): Promise<void> {
    if (this.mustFindWriters) await this.findWriters();
    const { rows } = await this.pool.query<{ writer: string; n: number; content: string }>(
      `${READ} WHERE ${inGeneration(this.generation)}${this.leads ? '' : ' AND c.concerns_owners'} ORDER BY c.writer, c.n`,
      [[...this.through.keys()], [...this.through.values()]],
    );
    for (const { writer, n, content } of rows) {
      this.through.set(writer, n);
      this.publish(JSON.parse(content) as RecordedCommit);
    }
    // After a successful read: however long the server was away, the leader has read what it removes.
    if (this.leads && performance.now() - this.removedAt >= REMOVE_EVERY_MS) await this.removeOld();
  }

  private async findWriters(): Promise<void> {
    this.mustFindWriters = false;
    const { rows } = await this.pool.query<{ writer: string }>(
      'SELECT DISTINCT writer FROM commits WHERE writer <> $1',
      [this.own],
    );
    const writers = new Set(rows.map(({ writer }) => writer));
    for (const writer of this.through.keys()) if (!writers.has(writer)) this.through.delete(writer);
    for (const writer of writers) if (!this.through.has(writer)) this.through.set(writer, 0);
  }

  private async removeOld(): Promise<void> {
    await this.pool.query(`DELETE FROM commits WHERE at < clock_timestamp() - ${KEEP_MS} * interval '1 ms'`);
    this.removedAt = performance.now();
  }
}
