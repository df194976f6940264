import type { Connection, SqliteStatement } from '../sqlite-driver';

/** Under constant writes no checkpoint reaches the end of the log; beyond this size, the writer restarts it. */
const LIMIT_BYTES = 64 * 1024 * 1024;
/** An open read prevents the restart; the next attempt follows after this many more bytes. */
const RETRY_AFTER_BYTES = 16 * 1024 * 1024;
/** How long the restart, and with it all notifications, waits for open reads. */
const RESTART_TIMEOUT_MS = 250;

/** Limits the size of the write-ahead log, and empties it at shutdown. */
export class WriteAheadLog {
  private readonly limit: number;
  private readonly retryAfter: number;
  /** The number of frames at which the log is restarted. */
  private restartAt: number;
  private readonly readSize: SqliteStatement<{ log: number }>;

  constructor(private readonly connection: Connection) {
    // A restart truncates the file to this size, even if a long read has let it grow far beyond.
    connection.pragma(`journal_size_limit = ${LIMIT_BYTES}`);
    const pageBytes = Number(connection.pragma('page_size', { simple: true }));
    this.limit = LIMIT_BYTES / pageBytes;
    this.retryAfter = RETRY_AFTER_BYTES / pageBytes;
    this.restartAt = this.limit;
    // Only reports the number of frames in the log, in 2 µs.
    this.readSize = connection.prepare<unknown[], { log: number }>('PRAGMA wal_checkpoint(NOOP)');
  }

  /** To be called between groups: only the next group waits for it. */
  afterCommit(): void {
    try {
      const { log } = this.readSize.get()!;
      if (log < this.limit) this.restartAt = this.limit;
      if (log >= this.restartAt) this.restart(log);
    } catch {
      // The disk fails: the log retains everything, and the next group reports the failure.
    }
  }

  /** Copies the whole log into the database. */
  empty(): void {
    try {
      this.connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk fails: the log retains everything, and the next start reads it.
    }
  }

  private restart(frames: number): void {
    const lockTimeoutMs = Number(this.connection.pragma('busy_timeout', { simple: true }));
    this.connection.pragma(`busy_timeout = ${RESTART_TIMEOUT_MS}`);
    try {
      const [{ busy }] = this.connection.pragma('wal_checkpoint(RESTART)') as [{ busy: 0 | 1 }];
      this.restartAt = busy === 0 ? this.limit : frames + this.retryAfter;
    } finally {
      this.connection.pragma(`busy_timeout = ${lockTimeoutMs}`);
    }
  }
}
