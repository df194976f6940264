import type { DeliveryKey } from '../../../ground/ids';
import { IS_DEAD_LETTER } from '../../journal/delivery-conditions';
import type { Connection } from '../sqlite-driver';

/**
 * Counts the dead letters of each target: dead deliveries that block their lane, or without a later delivery of the
 * same event there. Counted in the transaction that changes the rows, so that a count agrees and needs no scan.
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

  /** A delivery became dead (1), or a dead one is about to be discarded (-1). */
  count(key: DeliveryKey, change: 1 | -1): void {
    if (this.isDeadLetter(key)) this.add(key.target, change);
  }

  /** A dead letter has stopped blocking its lane. */
  leftLane(key: DeliveryKey): void {
    if (!this.isDeadLetter(key)) this.add(key.target, -1);
  }

  /** A dead letter was replaced by a later delivery. */
  replaced(target: number): void {
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

  private isDeadLetter(key: DeliveryKey): boolean {
    return this.sql.isDeadLetter.get(key) !== undefined;
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
  isDeadLetter: connection.prepare(
    `SELECT 1 FROM deliveries d WHERE event_seq = @seq AND target_id = @target AND n = @n AND state = 'dead'
       AND ${IS_DEAD_LETTER}`,
  ),
  targetsOfEvent: connection.prepare(
    `SELECT target_id AS target FROM deliveries d
     WHERE event_seq = @seq AND state = 'dead' AND ${IS_DEAD_LETTER}`,
  ),
});
