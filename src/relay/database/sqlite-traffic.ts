import type { SettleRow } from './group';
import type { Connection } from './sqlite-driver';

type State = SettleRow[11];

interface Counts {
  delivered: number;
  failed: number;
  died: number;
}

/** Stands for all targets together. */
const ALL = 0;
const MINUTE_MS = 60_000;

/**
 * Counts by the minute, exact over every crash: attempts in the transaction that holds their outcome, one row for each
 * target in it; events behind the answers to them, in the passes that sort them into the search indexes.
 */
export class SqliteTraffic {
  private readonly pending = new Map<number, Map<number, Counts>>();
  private readonly addAttempts;
  private readonly addEvents;

  constructor(connection: Connection) {
    this.addAttempts = connection.prepare(
      `INSERT INTO traffic_minutes(minute, target, events, delivered, failed, died) VALUES (?, ?, 0, ?, ?, ?)
       ON CONFLICT(minute, target) DO UPDATE SET
         delivered = delivered + excluded.delivered, failed = failed + excluded.failed, died = died + excluded.died`,
    );
    this.addEvents = connection.prepare(
      `INSERT INTO traffic_minutes(minute, target, events, delivered, failed, died)
       SELECT received_at / ${MINUTE_MS}, ${ALL}, count(*), 0, 0, 0 FROM events
       WHERE seq > ? AND seq <= ? AND signature_header <> '' GROUP BY 1
       ON CONFLICT(minute, target) DO UPDATE SET events = events + excluded.events`,
    );
  }

  /** Forgets what was noted for a transaction that is not to be. */
  clear(): void {
    this.pending.clear();
  }

  /** An attempt whose outcome is in this transaction. */
  note(target: number, endedAt: number, state: State): void {
    const minute = Math.floor(endedAt / MINUTE_MS);
    let targets = this.pending.get(minute);
    if (targets === undefined) this.pending.set(minute, (targets = new Map()));
    for (const key of [ALL, target]) {
      let counts = targets.get(key);
      if (counts === undefined) targets.set(key, (counts = { delivered: 0, failed: 0, died: 0 }));
      counts[state === 'succeeded' ? 'delivered' : 'failed'] += 1;
      if (state === 'dead') counts.died += 1;
    }
  }

  /** Writes what was noted; to be called at the end of the transaction. */
  write(): void {
    for (const [minute, targets] of this.pending) {
      for (const [target, { delivered, failed, died }] of targets)
        this.addAttempts.run(minute, target, delivered, failed, died);
    }
    this.pending.clear();
  }

  /** Counts Co-Pilot's events behind `after`, up to `through`; our own carry no signature. */
  countEvents(after: number, through: number): void {
    this.addEvents.run(after, through);
  }
}
