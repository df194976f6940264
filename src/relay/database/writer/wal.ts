import { BUSY_TIMEOUT_MS, type Connection, type SqliteStatement } from '../sqlite-driver';

/** While writes go on, the checkpoint thread never reaches the end of the log; beyond this size the writer restarts it. */
const LIMIT_BYTES = 64 * 1024 * 1024;
/** A read in progress prevents the restart: then this much more is written before the next attempt. */
const MORE_BYTES = 16 * 1024 * 1024;
/** How long notifications wait for such a read to end. */
const WAIT_MS = 250;

/** The write-ahead log: limits its growth, and empties it at the end. */
export class SqliteLog {
  private readonly limit: number;
  private readonly more: number;
  /** The number of frames at which it is restarted. */
  private due: number;
  private readonly look: SqliteStatement<{ log: number }>;

  constructor(private readonly connection: Connection) {
    // A restart truncates the file to this size, however large a long read made it.
    connection.pragma(`journal_size_limit = ${LIMIT_BYTES}`);
    const pageBytes = Number(connection.pragma('page_size', { simple: true }));
    this.limit = LIMIT_BYTES / pageBytes;
    this.more = MORE_BYTES / pageBytes;
    this.due = this.limit;
    // Copies nothing: it reports the number of frames in the log, in 2 µs.
    this.look = connection.prepare<unknown[], { log: number }>('PRAGMA wal_checkpoint(NOOP)');
  }

  /** To be called between groups: only the next group waits for it. */
  afterCommit(): void {
    try {
      const { log } = this.look.get()!;
      if (log < this.limit) this.due = this.limit;
      if (log >= this.due) this.restart(log);
    } catch {
      // The disk fails: the log keeps everything, and the next group reports the fault.
    }
  }

  /** Copies all of it into the database. */
  empty(): void {
    try {
      this.connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk fails: the log keeps everything, and the next start reads it.
    }
  }

  private restart(frames: number): void {
    this.connection.pragma(`busy_timeout = ${WAIT_MS}`);
    try {
      const [{ busy }] = this.connection.pragma('wal_checkpoint(RESTART)') as [{ busy: 0 | 1 }];
      this.due = busy === 0 ? this.limit : frames + this.more;
    } finally {
      this.connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }
}
