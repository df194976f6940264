import type { Connection } from '../sqlite-driver';
import { TrafficCounts } from '../../journal/traffic-counts';

/**
 * Counts per minute that stay exact across crashes: of attempts in the transaction of their outcome, in a row for each
 * target and kind of error; of events later, in the passes that add them to the search indexes.
 */
export class SqliteTraffic extends TrafficCounts {
  private readonly sql: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    super();
    this.sql = statements(connection);
  }

  /** Writes the counts; to be called at the end of the transaction. */
  write(): void {
    for (const { minute, target, attempts, errors } of this.rows()) {
      this.sql.addAttempts.run({ minute, target, ...attempts });
      for (const [error, { attempts: count, latestAt }] of errors ?? [])
        this.sql.addErrors.run({ minute, target, error, attempts: count, latestAt });
    }
    this.clear();
  }
}

const statements = (connection: Connection) => ({
  addAttempts: connection.prepare(
    `INSERT INTO traffic_minutes(minute, target, events, delivered, failed, dead)
     VALUES (@minute, @target, 0, @delivered, @failed, @dead)
     ON CONFLICT(minute, target) DO UPDATE SET
       delivered = delivered + excluded.delivered, failed = failed + excluded.failed, dead = dead + excluded.dead`,
  ),
  addErrors: connection.prepare(
    `INSERT INTO error_minutes(minute, target, error, attempts, latest_at)
     VALUES (@minute, @target, @error, @attempts, @latestAt)
     ON CONFLICT(minute, target, error) DO UPDATE SET
       attempts = attempts + excluded.attempts, latest_at = max(latest_at, excluded.latest_at)`,
  ),
});
