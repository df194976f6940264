import type { UnpackedResult } from '../journal/packed-rows';
import type { Connection } from '../sqlite-driver';

interface Counts {
  delivered: number;
  failed: number;
  dead: number;
  /** By kind of error; null until the first. */
  errors: Map<string, { attempts: number; latestAt: number }> | null;
}

/** Stands for all targets together. */
const ALL = 0;
const MINUTE_MS = 60_000;

/**
 * Counts per minute that stay exact across crashes. Attempts are counted in the transaction of their outcome,
 * in one row for each target and one for each kind of error there; events later, in the passes that add them
 * to the search indexes.
 */
export class SqliteTraffic {
  /** By minute and target. */
  private readonly pending = new Map<number, Map<number, Counts>>();
  private readonly sql: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.sql = statements(connection);
  }

  /** Discards what was counted for a transaction that was rolled back. */
  beginTransaction(): void {
    this.pending.clear();
  }

  /** An attempt whose result is in this transaction and took effect. */
  recordAttempt({ key: { target }, attempt, state }: UnpackedResult): void {
    const { at, durationMs, status, error } = attempt;
    const endedAt = at + durationMs;
    const ofAll = this.countsOf(ALL, endedAt);
    const ofTarget = this.countsOf(target, endedAt);
    for (const counts of [ofAll, ofTarget]) {
      counts[state === 'succeeded' ? 'delivered' : 'failed'] += 1;
      if (state === 'dead') counts.dead += 1;
    }
    if (error === null) return;
    const errors = (ofTarget.errors ??= new Map());
    const kind = error === 'http_status' ? String(status) : error;
    const known = errors.get(kind);
    if (known === undefined) errors.set(kind, { attempts: 1, latestAt: endedAt });
    else {
      known.attempts += 1;
      known.latestAt = Math.max(known.latestAt, endedAt);
    }
  }

  /** A delivery that became dead without another attempt. */
  recordDead(target: number, at: number): void {
    for (const key of [ALL, target]) this.countsOf(key, at).dead += 1;
  }

  /** Writes the counts; to be called at the end of the transaction. */
  write(): void {
    for (const [minute, targets] of this.pending) {
      for (const [target, { errors, ...counts }] of targets) {
        this.sql.addAttempts.run({ minute, target, ...counts });
        for (const [error, { attempts, latestAt }] of errors ?? [])
          this.sql.addErrors.run({ minute, target, error, attempts, latestAt });
      }
    }
    this.pending.clear();
  }

  /** Counts Co-Pilot's events of a range; system events carry no signature. */
  countEvents(range: { after: number; through: number }): void {
    this.sql.addEvents.run(range);
  }

  private countsOf(target: number, at: number): Counts {
    const minute = Math.floor(at / MINUTE_MS);
    let targets = this.pending.get(minute);
    if (targets === undefined) this.pending.set(minute, (targets = new Map()));
    let counts = targets.get(target);
    if (counts === undefined)
      targets.set(target, (counts = { delivered: 0, failed: 0, dead: 0, errors: null }));
    return counts;
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
  addEvents: connection.prepare(
    `INSERT INTO traffic_minutes(minute, target, events, delivered, failed, dead)
     SELECT received_at / ${MINUTE_MS}, ${ALL}, count(*), 0, 0, 0 FROM events
     WHERE seq > @after AND seq <= @through AND signature_header <> '' GROUP BY 1
     ON CONFLICT(minute, target) DO UPDATE SET events = events + excluded.events`,
  ),
});
