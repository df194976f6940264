import { BUSY_TIMEOUT_MS, type Connection, type SqliteStatement } from '../sqlite-driver';

/** The checkpoint thread never gets to the log's end while writing goes on; past this size the writer begins it anew. */
const LIMIT_BYTES = 64 * 1024 * 1024;
/** A read that is under way holds the log as it is: then so much more is written to it before the writer tries again. */
const MORE_BYTES = 16 * 1024 * 1024;
/** So long notifications wait for such a read to end. */
const WAIT_MS = 250;

/** The log beside the database: it is kept from growing for good, and emptied at the end. */
export class SqliteLog {
  private readonly limit: number;
  private readonly more: number;
  /** Frames at which it is begun anew. */
  private due: number;
  private readonly look: SqliteStatement<{ log: number }>;

  constructor(private readonly connection: Connection) {
    // Begun anew, the file is cut to this size: whatever a long read made of it, the disk gets the rest back.
    connection.pragma(`journal_size_limit = ${LIMIT_BYTES}`);
    const pageBytes = Number(connection.pragma('page_size', { simple: true }));
    this.limit = LIMIT_BYTES / pageBytes;
    this.more = MORE_BYTES / pageBytes;
    this.due = this.limit;
    // Copies nothing: it tells how many frames the log holds, in 2 µs.
    this.look = connection.prepare<unknown[], { log: number }>('PRAGMA wal_checkpoint(NOOP)');
  }

  /** To be called between groups: nobody's answer waits for it but the next. */
  afterCommit(): void {
    try {
      const { log } = this.look.get()!;
      if (log < this.limit) this.due = this.limit;
      if (log >= this.due) this.beginAnew(log);
    } catch {
      // The disk fails: the log keeps everything, and the notifications of the next group are told.
    }
  }

  /** Whatever it holds goes into the database. */
  empty(): void {
    try {
      this.connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk fails: the log keeps everything, and the next start reads it.
    }
  }

  private beginAnew(frames: number): void {
    this.connection.pragma(`busy_timeout = ${WAIT_MS}`);
    try {
      const [{ busy }] = this.connection.pragma('wal_checkpoint(RESTART)') as [{ busy: 0 | 1 }];
      this.due = busy === 0 ? this.limit : frames + this.more;
    } finally {
      this.connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }
}
