import type { DeliveryKey } from '../ids';
import type { Pruned } from './group';
import type { DatabaseSize, PruneStep, Statement } from './journal';
import type { SqliteDeadLetters } from './sqlite-dead-letters';
import type { SqliteDeliveries } from './sqlite-deliveries';
import { bindable, type Connection } from './sqlite-driver';
import type { SqliteEventIndexes } from './sqlite-event-indexes';
import type { Statements } from './sqlite-statements';

/** Freeing a large body reads it page by page: beyond this a step of retention ends, however few events it had. */
const STEP_BYTES = 2 * 1024 * 1024;

/** See {@link PruneStep.beforeRemoval}. */
export const GOING_TABLE = 'CREATE TEMP TABLE going(seq INTEGER PRIMARY KEY)';

interface PrunableEvent {
  seq: number;
  received_at: number;
  bytes: number;
  unfinished: 0 | 1;
}

/** Retention's part of a transaction, on the connection that writes. */
export class SqlitePruning {
  constructor(
    private readonly connection: Connection,
    private readonly sql: Statements,
    private readonly deliveries: SqliteDeliveries,
    private readonly deadLetters: SqliteDeadLetters,
    private readonly indexes: SqliteEventIndexes,
  ) {}

  /** Looks at `limit` events from `after` on, so that a step is short whatever it finds. */
  step({ before, after, limit, cancel, beforeRemoval = [] }: PruneStep, lastSeq: number): Pruned {
    const range = this.sql.oldest.all(after, limit) as PrunableEvent[];
    const concluded: Pruned['concluded'] = [];
    const going: PrunableEvent[] = [];
    let bytes = 0;
    let looked = 0;
    let oldThrough = 0;
    for (const event of range) {
      if (bytes > STEP_BYTES) break;
      const isYoung = before !== null && event.received_at >= before;
      if (isYoung && event.seq > oldThrough) {
        const old = this.oldBehind(event.seq, before, lastSeq);
        if (old === null) break;
        oldThrough = old;
      }
      looked += 1;
      if (isYoung || event.seq >= lastSeq || (event.unfinished === 1 && cancel === undefined)) continue;
      going.push(event);
      bytes += event.bytes;
    }
    // What goes uncounted would never have been.
    this.indexes.takeThrough(going.at(-1)?.seq ?? 0);
    if (beforeRemoval.length > 0) this.tellGoing(going, beforeRemoval);
    for (const { seq, unfinished } of going) {
      if (unfinished === 1 && cancel !== undefined) concluded.push(...this.cancelAll(seq, cancel));
      this.removeEvent(seq);
      this.sql.notePruned.run(seq);
    }
    const oldest = this.sql.oldestReceivedAt.get() as { received_at: number } | undefined;
    this.sql.removeIdentities.run(Math.floor((before ?? oldest?.received_at ?? 0) / 60_000), limit);
    const more = looked > 0 && (looked < range.length ? bytes > STEP_BYTES : range.length === limit);
    const next = more ? range[looked - 1]!.seq : null;
    return { removed: going.length, cancelled: concluded.length, next, size: this.size(), concluded };
  }

  shrink(pages: number): DatabaseSize {
    // For SQLite 0 means all of them.
    if (pages > 0) this.connection.pragma(`incremental_vacuum(${pages})`);
    return this.size();
  }

  /**
   * An event that is too young ends retention by age: `seq` is the order of arrival, so what is behind it is younger still.
   * Unless the clock was ahead when it came. So a look behind it, at distances that double: what was stored while the clock
   * was wrong is passed over as soon as as much behind it is too old, and a look costs some twenty reads by key.
   * @returns the `seq` of an event behind it that is too old; null where all seem young
   */
  private oldBehind(seq: number, before: number, lastSeq: number): number | null {
    for (let ahead = 1; seq + ahead <= lastSeq; ahead *= 2) {
      const event = this.sql.receivedFrom.get(seq + ahead) as { seq: number; received_at: number };
      if (event.received_at < before) return event.seq;
    }
    return null;
  }

  private tellGoing(going: readonly PrunableEvent[], statements: readonly Statement[]): void {
    for (const { seq } of going) this.sql.addGoing.run(seq);
    for (const [text, parameters] of statements)
      this.connection.prepare(text).run(...parameters.map(bindable));
    this.sql.clearGoing.run();
  }

  private cancelAll(seq: number, cancel: NonNullable<PruneStep['cancel']>): Pruned['concluded'] {
    const unfinished = this.sql.unfinished.all(seq) as DeliveryKey[];
    return unfinished.flatMap((key) => {
      const concluded = this.deliveries.conclude({ key, ...cancel });
      return concluded === null ? [] : [{ key, ...concluded, died: null }];
    });
  }

  private removeEvent(seq: number): void {
    this.deadLetters.removing(seq);
    for (const statement of this.sql.removeEvent) statement.run(seq);
  }

  private size(): DatabaseSize {
    const { page, count, free } = this.sql.pages.get() as { page: number; count: number; free: number };
    return { usedBytes: (count - free) * page, freeBytes: free * page };
  }
}
