import type { DeliveryKey } from '../../ground/ids';
import type { Pruned } from '../journal/group';
import type { DatabaseSize, PruneStep, Statement } from '../journal';
import type { SqliteDeadLetters } from './dead-letters';
import type { SqliteDeliveries } from './deliveries';
import { bindable, type Connection } from '../sqlite-driver';
import type { SqliteEventIndexes } from './event-indexes';
import type { Statements } from './statements';

/** The identities that one step removes at most. */
const STEP_IDENTITIES = 50;

/** See {@link PruneStep.beforeRemoval}. */
export const GOING_TABLE = 'CREATE TEMP TABLE going(seq INTEGER PRIMARY KEY)';

interface Going {
  seq: number;
  unfinished: 0 | 1;
  deadLetters: number;
}

/** Retention's part of a transaction. */
export class SqlitePruning {
  constructor(
    private readonly connection: Connection,
    private readonly sql: Statements,
    private readonly deliveries: SqliteDeliveries,
    private readonly deadLetters: SqliteDeadLetters,
    private readonly indexes: SqliteEventIndexes,
  ) {}

  /** Events that must be kept since they were selected stay. */
  step(step: PruneStep, lastSeq: number): Pruned {
    const { seqs, cancel, forgetBefore, beforeRemoval = [] } = step;
    const going = seqs.flatMap((seq) => this.removable(seq, step, lastSeq));
    // Events must be counted before they are removed.
    this.indexes.takeThrough(going.reduce((last, { seq }) => Math.max(last, seq), 0));
    if (beforeRemoval.length > 0) this.runBeforeRemoval(going, beforeRemoval);
    const concluded: Pruned['concluded'] = [];
    for (const { seq, unfinished } of going) {
      if (unfinished === 1 && cancel !== undefined) concluded.push(...this.cancelAll(seq, cancel));
      this.removeEvent(seq);
      this.sql.notePruned.run(seq);
    }
    const oldest = this.sql.oldestReceivedAt.get() as { received_at: number } | undefined;
    const before = forgetBefore ?? oldest?.received_at ?? 0;
    this.sql.removeIdentities.run(Math.floor(before / 60_000), STEP_IDENTITIES);
    const deadLetters = going.reduce((sum, event) => sum + event.deadLetters, 0);
    return { removed: going.length, deadLetters, cancelled: concluded.length, size: this.size(), concluded };
  }

  shrink(pages: number): DatabaseSize {
    // For SQLite 0 means all of them.
    if (pages > 0) this.connection.pragma(`incremental_vacuum(${pages})`);
    return this.size();
  }

  private removable(seq: number, { deadLetters, cancel }: PruneStep, lastSeq: number): Going[] {
    const event = this.sql.held.get(seq) as Going | undefined;
    if (event === undefined || seq >= lastSeq) return [];
    const isHeld =
      (event.unfinished === 1 && cancel === undefined) || (event.deadLetters > 0 && deadLetters !== true);
    return isHeld ? [] : [event];
  }

  private runBeforeRemoval(going: readonly Going[], statements: readonly Statement[]): void {
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
