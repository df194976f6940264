import type { DeliveryKey } from '../../../ground/ids';
import { COMMON_SQL } from '../../journal/common-sql';
import { DEAD_LETTER_COUNT, HAS_UNFINISHED } from '../../journal/delivery-conditions';
import { REMOVED_EVENTS } from '../../reading/dialect';
import { UNDATED_MINUTE } from '../../journal/identity';
import type { Statement } from '../../journal/statements';
import type { PruneResult } from '../../journal/group';
import type { DatabaseSize, PrunableEvent, PruneStep } from '../../journal/prune-step';
import { bindable, type Connection } from '../sqlite-driver';
import type { SqliteDeadLetters } from './dead-letters';
import type { SqliteDeliveries } from './deliveries';
import type { SqliteEventIndexes } from './event-indexes';

/** See {@link PruneStep.beforeRemoval}. */
export const CREATE_REMOVED_EVENTS = `CREATE TABLE ${REMOVED_EVENTS}(seq INTEGER PRIMARY KEY)`;

/** Removes events with everything that belongs to them. */
export class SqlitePruning {
  private readonly sql: ReturnType<typeof pruningStatements>;

  constructor(
    private readonly connection: Connection,
    private readonly deliveries: SqliteDeliveries,
    private readonly deadLetters: SqliteDeadLetters,
    private readonly indexes: SqliteEventIndexes,
  ) {
    connection.exec(CREATE_REMOVED_EVENTS);
    this.sql = pruningStatements(connection);
  }

  /** Checks each event again: it may have received deliveries since it was selected. */
  step(step: PruneStep, lastSeq: number): PruneResult {
    const { seqs, cancel, removeIdentitiesBefore, beforeRemoval = [] } = step;
    const events = seqs.flatMap((seq) => this.readRemovable(seq, step, lastSeq));
    // Events must be counted before they are removed.
    this.indexes.indexThrough(events.reduce((last, { seq }) => Math.max(last, seq), 0));
    if (beforeRemoval.length > 0) this.runBeforeRemoval(events, beforeRemoval);
    const ended: PruneResult['ended'] = [];
    for (const { seq, unfinished } of events) {
      if (unfinished === 1 && cancel !== undefined) ended.push(...this.cancelAll(seq, cancel));
      this.removeEvent(seq);
    }
    this.removeIdentities(removeIdentitiesBefore);
    const deadLetters = events.reduce((sum, event) => sum + event.deadLetters, 0);
    return {
      removed: events.length,
      deadLetters,
      cancelled: ended.length,
      size: this.size(),
      ended,
    };
  }

  shrink(pages: number): DatabaseSize {
    // For SQLite 0 means all of them.
    if (pages > 0) this.connection.pragma(`incremental_vacuum(${pages})`);
    return this.size();
  }

  private readRemovable(seq: number, { deadLetters, cancel }: PruneStep, lastSeq: number): PrunableEvent[] {
    const event = this.sql.event.get({ seq }) as PrunableEvent | undefined;
    if (event === undefined || seq >= lastSeq) return [];
    const mustStay =
      (event.unfinished === 1 && cancel === undefined) || (event.deadLetters > 0 && deadLetters !== true);
    return mustStay ? [] : [event];
  }

  private runBeforeRemoval(events: readonly PrunableEvent[], work: readonly Statement[]): void {
    for (const { seq } of events) this.sql.addRemoved.run({ seq });
    for (const [text, parameters] of work) this.connection.prepare(text).run(...parameters.map(bindable));
    this.sql.clearRemoved.run();
  }

  private cancelAll(seq: number, cancel: NonNullable<PruneStep['cancel']>): PruneResult['ended'] {
    const unfinished = this.sql.unfinished.all({ seq }) as DeliveryKey[];
    return unfinished.flatMap((key) => {
      const ended = this.deliveries.end({ key, ...cancel });
      return ended === null ? [] : [{ key, ...ended, deadLetter: null }];
    });
  }

  private removeEvent(seq: number): void {
    this.deadLetters.removing(seq);
    for (const statement of this.sql.removeEvent) statement.run({ seq });
    this.sql.setPrunedThrough.run({ seq });
  }

  private removeIdentities(before: PruneStep['removeIdentitiesBefore']): void {
    const oldest = this.sql.oldestReceivedAt.get() as { received_at: number } | undefined;
    const minute = Math.floor((before ?? oldest?.received_at ?? 0) / 60_000);
    this.sql.removeIdentities.run({ minute });
  }

  private size(): DatabaseSize {
    const { page, count, free } = this.sql.pages.get() as { page: number; count: number; free: number };
    return { usedBytes: (count - free) * page, freeBytes: free * page };
  }
}

export const pruningStatements = (connection: Connection) => ({
  event: connection.prepare(
    `SELECT seq, ${HAS_UNFINISHED} AS unfinished, ${DEAD_LETTER_COUNT} AS "deadLetters" FROM events e WHERE seq = @seq`,
  ),
  unfinished: connection.prepare(
    `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
     WHERE event_seq = @seq AND finished_at IS NULL ORDER BY n`,
  ),
  addRemoved: connection.prepare(`INSERT INTO ${REMOVED_EVENTS}(seq) VALUES (@seq)`),
  clearRemoved: connection.prepare(`DELETE FROM ${REMOVED_EVENTS}`),
  // The rows that are looked up through other rows go first.
  removeEvent: [
    'DELETE FROM event_types WHERE (type, seq) IN (SELECT type, seq FROM events WHERE seq = @seq)',
    'DELETE FROM event_entities WHERE (entity, seq) IN (SELECT entity, seq FROM events WHERE seq = @seq)',
    `DELETE FROM delivery_targets
     WHERE (target_id, event_seq) IN (SELECT target_id, event_seq FROM deliveries WHERE event_seq = @seq)`,
    'DELETE FROM deliveries WHERE event_seq = @seq',
    'DELETE FROM attempts WHERE event_seq = @seq',
    'DELETE FROM duplicates WHERE event_seq = @seq',
    'DELETE FROM edited_bodies WHERE event_seq = @seq',
    'DELETE FROM erased_events WHERE seq = @seq',
    'DELETE FROM routed WHERE event_seq = @seq',
    `DELETE FROM identities WHERE minute <= ${UNDATED_MINUTE} AND seq = @seq`,
    'DELETE FROM events WHERE seq = @seq',
  ].map((sql) => connection.prepare(sql)),
  setPrunedThrough: connection.prepare('UPDATE instance SET pruned_through = max(pruned_through, @seq)'),
  oldestReceivedAt: connection.prepare('SELECT received_at FROM events ORDER BY seq LIMIT 1'),
  removeIdentities: connection.prepare(COMMON_SQL.removeIdentities),
  pages: connection.prepare(
    `SELECT page_size AS page, page_count AS count, freelist_count AS free
     FROM pragma_page_size(), pragma_page_count(), pragma_freelist_count()`,
  ),
});
