import type { SettleRow } from '../journal/group';
import type { Connection } from '../sqlite-driver';

interface Counts {
  delivered: number;
  failed: number;
  died: number;
  /** By kind of error; null until the first. */
  errors: Map<string, { attempts: number; latestAt: number }> | null;
}

/** Stands for all targets together. */
const ALL = 0;
const MINUTE_MS = 60_000;

/**
 * Counts by the minute that stay exact over a crash: attempts in the transaction of their outcome, one row for each target
 * and one for each kind of error there; events later, in the passes that add them to the search indexes.
 */
export class SqliteTraffic {
  private readonly pending = new Map<number, Map<number, Counts>>();
  private readonly addAttempts;
  private readonly addErrors;
  private readonly addEvents;

  constructor(connection: Connection) {
    this.addAttempts = connection.prepare(
      `INSERT INTO traffic_minutes(minute, target, events, delivered, failed, died) VALUES (?, ?, 0, ?, ?, ?)
       ON CONFLICT(minute, target) DO UPDATE SET
         delivered = delivered + excluded.delivered, failed = failed + excluded.failed, died = died + excluded.died`,
    );
    this.addErrors = connection.prepare(
      `INSERT INTO error_minutes(minute, target, error, attempts, latest_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT(minute, target, error) DO UPDATE SET
         attempts = attempts + excluded.attempts, latest_at = max(latest_at, excluded.latest_at)`,
    );
    this.addEvents = connection.prepare(
      `INSERT INTO traffic_minutes(minute, target, events, delivered, failed, died)
       SELECT received_at / ${MINUTE_MS}, ${ALL}, count(*), 0, 0, 0 FROM events
       WHERE seq > ? AND seq <= ? AND signature_header <> '' GROUP BY 1
       ON CONFLICT(minute, target) DO UPDATE SET events = events + excluded.events`,
    );
  }

  /** Discards what was noted for a transaction that was rolled back. */
  clear(): void {
    this.pending.clear();
  }

  /** An attempt whose outcome is in this transaction. */
  note([, target, , , , , at, durationMs, status, error, , state]: SettleRow): void {
    const endedAt = at + durationMs;
    const all = this.countsOf(ALL, endedAt);
    const own = this.countsOf(target, endedAt);
    for (const counts of [all, own]) {
      counts[state === 'succeeded' ? 'delivered' : 'failed'] += 1;
      if (state === 'dead') counts.died += 1;
    }
    if (error === null) return;
    const errors = (own.errors ??= new Map());
    const kind = error === 'http_status' ? String(status) : error;
    const known = errors.get(kind);
    if (known === undefined) errors.set(kind, { attempts: 1, latestAt: endedAt });
    else {
      known.attempts += 1;
      known.latestAt = Math.max(known.latestAt, endedAt);
    }
  }

  /** A delivery that became dead without another attempt. */
  noteEnd(target: number, at: number): void {
    for (const key of [ALL, target]) this.countsOf(key, at).died += 1;
  }

  private countsOf(target: number, at: number): Counts {
    const minute = Math.floor(at / MINUTE_MS);
    let targets = this.pending.get(minute);
    if (targets === undefined) this.pending.set(minute, (targets = new Map()));
    let counts = targets.get(target);
    if (counts === undefined)
      targets.set(target, (counts = { delivered: 0, failed: 0, died: 0, errors: null }));
    return counts;
  }

  /** Writes what was noted; to be called at the end of the transaction. */
  write(): void {
    for (const [minute, targets] of this.pending) {
      for (const [target, { delivered, failed, died, errors }] of targets) {
        this.addAttempts.run(minute, target, delivered, failed, died);
        for (const [error, { attempts, latestAt }] of errors ?? [])
          this.addErrors.run(minute, target, error, attempts, latestAt);
      }
    }
    this.pending.clear();
  }

  /** Counts Co-Pilot's events after `after`, up to `through`; system events carry no signature. */
  countEvents(after: number, through: number): void {
    this.addEvents.run(after, through);
  }
}
