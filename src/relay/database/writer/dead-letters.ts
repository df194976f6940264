import type { DeliveryKey } from '../../ground/ids';
import type { Connection } from '../sqlite-driver';

/**
 * Counts the dead letters of each target: dead deliveries without a later delivery of the same event to the same target. The
 * count changes in the transaction that changes the rows, so it always agrees with them and reading it needs no scan.
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

  /** A delivery became dead. */
  died(key: DeliveryKey): void {
    if (!this.isSuperseded(key)) this.add(key.target, 1);
  }

  /** A dead delivery was discarded. */
  discarded(key: DeliveryKey): void {
    if (!this.isSuperseded(key)) this.add(key.target, -1);
  }

  /** A dead delivery, the last of its event to the target, is followed by another. */
  superseded(target: number): void {
    this.add(target, -1);
  }

  /** An event's deliveries are about to be removed. */
  removing(seq: number): void {
    const standing = this.standingOf.all(seq) as { target: number }[];
    for (const { target } of standing) this.add(target, -1);
  }

  /** The counts of the targets that the transaction may have changed. */
  counts(): [target: number, standing: number][] {
    return [...this.changed].map((target) => {
      const row = this.readStanding.get(target) as { standing: number } | undefined;
      return [target, row?.standing ?? 0];
    });
  }

  private isSuperseded({ seq, target, n }: DeliveryKey): boolean {
    return this.laterThan.get(seq, target, n) !== undefined;
  }

  private add(target: number, standing: number): void {
    this.addStanding.run(target, standing);
    this.changed.add(target);
  }
}
