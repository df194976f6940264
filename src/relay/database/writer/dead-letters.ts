import type { DeliveryKey } from '../../ground/ids';
import type { Connection } from '../sqlite-driver';

/**
 * Counts the dead letters that stand at each target: dead deliveries that no later delivery of the same event to the same
 * target has followed. Counted in the transaction that changes it, so that nobody has to count rows, and no crash or
 * rollback parts the count from them.
 */
export class SqliteDeadLetters {
  private readonly changed = new Set<number>();
  private readonly addStanding;
  private readonly readStanding;
  private readonly laterThan;
  private readonly standingOf;

  constructor(connection: Connection) {
    this.addStanding = connection.prepare(
      `INSERT INTO dead_letters(target, standing) VALUES (?, ?)
       ON CONFLICT(target) DO UPDATE SET standing = standing + excluded.standing`,
    );
    this.readStanding = connection.prepare('SELECT standing FROM dead_letters WHERE target = ?');
    this.laterThan = connection.prepare(
      'SELECT 1 FROM deliveries WHERE event_seq = ? AND target_id = ? AND n > ? LIMIT 1',
    );
    this.standingOf = connection.prepare(
      `SELECT target_id AS target FROM deliveries d WHERE event_seq = ? AND state = 'dead' AND NOT EXISTS (
         SELECT 1 FROM deliveries newer
         WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)`,
    );
  }

  beginTransaction(): void {
    this.changed.clear();
  }

  /** A delivery has just died. */
  died(key: DeliveryKey): void {
    if (!this.isFollowed(key)) this.add(key.target, 1);
  }

  /** A dead delivery is dead no longer. */
  discarded(key: DeliveryKey): void {
    if (!this.isFollowed(key)) this.add(key.target, -1);
  }

  /** The last delivery of an event to a target, a dead one, is followed by another. */
  answered(target: number): void {
    this.add(target, -1);
  }

  /** An event's deliveries are about to be removed. */
  removing(seq: number): void {
    const standing = this.standingOf.all(seq) as { target: number }[];
    for (const { target } of standing) this.add(target, -1);
  }

  /** How many stand, for each target where the transaction may have changed that. */
  counts(): [target: number, standing: number][] {
    return [...this.changed].map((target) => {
      const row = this.readStanding.get(target) as { standing: number } | undefined;
      return [target, row?.standing ?? 0];
    });
  }

  private isFollowed({ seq, target, n }: DeliveryKey): boolean {
    return this.laterThan.get(seq, target, n) !== undefined;
  }

  private add(target: number, standing: number): void {
    this.addStanding.run(target, standing);
    this.changed.add(target);
  }
}
