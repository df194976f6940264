import type { DeliveryKey } from '../../ground/ids';
import { IS_LATEST } from '../delivery-conditions';
import type { Connection } from '../sqlite-driver';

/**
 * Counts the dead letters of each target: dead deliveries without a later delivery of the same event to the
 * same target. The count changes in the transaction that changes the rows, so it always agrees with them and
 * reading it needs no scan.
 */
export class SqliteDeadLetters {
  private readonly changed = new Set<number>();
  private readonly sql: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.sql = statements(connection);
  }

  beginTransaction(): void {
    this.changed.clear();
  }

  /** A delivery became dead. */
  becameDead(key: DeliveryKey): void {
    if (!this.isSuperseded(key)) this.add(key.target, 1);
  }

  /** A dead delivery was discarded. */
  discarded(key: DeliveryKey): void {
    if (!this.isSuperseded(key)) this.add(key.target, -1);
  }

  /** A dead delivery, the latest of its event to the target, is followed by another. */
  superseded(target: number): void {
    this.add(target, -1);
  }

  /** An event's deliveries are about to be removed. */
  removing(seq: number): void {
    const targets = this.sql.targetsOfEvent.all({ seq }) as { target: number }[];
    for (const { target } of targets) this.add(target, -1);
  }

  /** The counts of the targets that the transaction may have changed. */
  counts(): [target: number, count: number][] {
    return [...this.changed].map((target) => {
      const row = this.sql.count.get({ target }) as { count: number } | undefined;
      return [target, row?.count ?? 0];
    });
  }

  private isSuperseded(key: DeliveryKey): boolean {
    return this.sql.later.get(key) !== undefined;
  }

  private add(target: number, count: number): void {
    this.sql.add.run({ target, count });
    this.changed.add(target);
  }
}

const statements = (connection: Connection) => ({
  add: connection.prepare(
    `INSERT INTO dead_letter_counts(target, count) VALUES (@target, @count)
     ON CONFLICT(target) DO UPDATE SET count = count + excluded.count`,
  ),
  count: connection.prepare('SELECT count FROM dead_letter_counts WHERE target = @target'),
  later: connection.prepare(
    'SELECT 1 FROM deliveries WHERE event_seq = @seq AND target_id = @target AND n > @n LIMIT 1',
  ),
  targetsOfEvent: connection.prepare(
    `SELECT target_id AS target FROM deliveries d
     WHERE event_seq = @seq AND state = 'dead' AND ${IS_LATEST}`,
  ),
});
