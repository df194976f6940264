import type { DeliveryResult } from './journal';

interface Attempts {
  delivered: number;
  failed: number;
  dead: number;
}

interface Errors {
  attempts: number;
  latestAt: number;
}

/** A row to add to `traffic_minutes`, and to `error_minutes` for each kind of error. */
export interface TrafficRow {
  minute: number;
  target: number;
  attempts: Attempts;
  /** By kind; null if there were none. */
  errors: ReadonlyMap<string, Errors> | null;
}

/** Stands for all targets together. */
export const ALL_TARGETS = 0;
export const MINUTE_MS = 60_000;

/** Counts the attempts of a transaction, in one row for each minute and target. */
export class TrafficCounts {
  /** By minute and target. */
  private readonly pending = new Map<
    number,
    Map<number, Attempts & { errors: Map<string, Errors> | null }>
  >();

  clear(): void {
    this.pending.clear();
  }

  *rows(): Generator<TrafficRow> {
    for (const [minute, targets] of this.pending)
      for (const [target, { errors, ...attempts }] of targets) yield { minute, target, attempts, errors };
  }

  /** An attempt whose result is in this transaction and took effect. */
  recordAttempt({ key: { target }, attempt, state }: DeliveryResult): void {
    const { at, durationMs, status, error } = attempt;
    const endedAt = at + durationMs;
    const ofAll = this.countsOf(ALL_TARGETS, endedAt);
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
    for (const key of [ALL_TARGETS, target]) this.countsOf(key, at).dead += 1;
  }

  private countsOf(target: number, at: number) {
    const minute = Math.floor(at / MINUTE_MS);
    let targets = this.pending.get(minute);
    if (targets === undefined) this.pending.set(minute, (targets = new Map()));
    let counts = targets.get(target);
    if (counts === undefined)
      targets.set(target, (counts = { delivered: 0, failed: 0, dead: 0, errors: null }));
    return counts;
  }
}
