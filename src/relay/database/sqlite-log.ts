import { statSync } from 'node:fs';
import { BUSY_TIMEOUT_MS, type Connection } from './sqlite-driver';

/** The checkpoint thread never gets to the log's end while writing goes on; past this size the writer waits for it. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const COMMITS_BETWEEN_LOOKS = 256;
/** A long read holds the log as it is; notifications wait no longer than this for it to end. */
const WAIT_MS = 250;

/** The log beside the database: it is kept from growing for good, and emptied at the end. */
export class SqliteLog {
  private commits = 0;

  constructor(
    private readonly connection: Connection,
    private readonly file: string,
  ) {}

  /** To be called between groups: nobody's answer waits for it but the next. */
  afterCommit(): void {
    this.commits += 1;
    if (this.commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    try {
      if (statSync(`${this.file}-wal`).size <= LIMIT_BYTES) return;
      this.connection.pragma(`busy_timeout = ${WAIT_MS}`);
      this.connection.pragma('wal_checkpoint(RESTART)');
    } catch {
      // The disk fails: the log keeps everything, and the notifications of the next group are told.
    } finally {
      this.connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
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
}
