import {
  failAll,
  WORK_KINDS,
  type AppendResult,
  type AppendRow,
  type Change,
  type Group,
  type GroupOutcome,
  type WorkKind,
  type WorkTypes,
} from '../journal/group';
import { UNDATED_MINUTE } from '../journal';
import { SqliteDeadLetters } from './dead-letters';
import { SqliteDeliveries } from './deliveries';
import { bindable, prepareWriting, sqliteDriver, type Connection } from '../sqlite-driver';
import { SqliteEventIndexes } from './event-indexes';
import { codeOf, isDiskFault } from './sqlite-faults';
import { SqliteLog } from './wal';
import { GOING_TABLE, SqlitePruning } from './pruning';
import { sqliteStatements, type Statements } from './statements';
import { SqliteTraffic } from './traffic';

/** Co-Pilot retries a notification after 5 s and 25 s (document, 6.3); this leaves room for delays. */
const REPEATED_WITHIN_MS = 10 * 60_000;

/** These consist of many statements, so they always run in a savepoint. */
const ISOLATED: ReadonlySet<WorkKind> = new Set(['change', 'prune', 'shrink']);

type Handlers = {
  [Kind in WorkKind]: (input: WorkTypes[Kind]['input']) => WorkTypes[Kind]['outcome'];
};

/** The writing connection: one transaction per group, on disk when `commit` returns. */
export class SqliteWriter {
  readonly instanceId: number;
  private readonly connection: Connection;
  private readonly sql: Statements;
  private readonly traffic: SqliteTraffic;
  private readonly deadLetters: SqliteDeadLetters;
  private readonly deliveries: SqliteDeliveries;
  private readonly indexes: SqliteEventIndexes;
  private readonly pruning: SqlitePruning;
  private readonly log: SqliteLog;
  private lastSeq: number;
  private readonly handlers: Handlers = {
    append: (row) => this.append(row),
    settle: (row) => this.deliveries.settle(row),
    change: (change) => this.change(change),
    prune: (step) => this.pruning.step(step, this.lastSeq),
    shrink: (pages) => this.pruning.shrink(pages),
  };

  constructor(file: string) {
    this.connection = new sqliteDriver(file);
    prepareWriting(this.connection);
    this.connection.pragma('wal_autocheckpoint = 0');
    this.connection.pragma('temp_store = MEMORY');
    // 48 MiB: a million queued deliveries fill it, and the whole process must stay below 250 MiB.
    this.connection.pragma('cache_size = -49152');
    this.connection.exec(GOING_TABLE);
    this.sql = sqliteStatements(this.connection);
    this.traffic = new SqliteTraffic(this.connection);
    this.deadLetters = new SqliteDeadLetters(this.connection);
    this.deliveries = new SqliteDeliveries(this.sql, this.traffic, this.deadLetters);
    const start = this.sql.start.get() as { tag: number; indexed_through: number; last_seq: number };
    this.instanceId = start.tag;
    this.lastSeq = start.last_seq;
    this.indexes = new SqliteEventIndexes(this.sql, this.traffic, start.indexed_through);
    this.pruning = new SqlitePruning(
      this.connection,
      this.sql,
      this.deliveries,
      this.deadLetters,
      this.indexes,
    );
    this.log = new SqliteLog(this.connection);
  }

  /** `PRAGMA synchronous` of this connection; 2 is FULL. */
  get synchronous(): number {
    return Number(this.connection.pragma('synchronous', { simple: true }));
  }

  commit(group: Group): GroupOutcome {
    const restore = this.markPosition();
    try {
      return this.transaction(group, false);
    } catch (error) {
      restore();
      if (isDiskFault(error)) return failAll(group, codeOf(error));
    }
    // One row is at fault, and it is unknown which: run each in a savepoint, for an outcome of its own.
    try {
      return this.transaction(group, true);
    } catch (error) {
      restore();
      return failAll(group, codeOf(error));
    }
  }

  /** Work that no response waits for; to be called between groups. */
  tidy(): void {
    if (this.indexes.isBehind(this.lastSeq)) this.indexEvents();
    this.log.afterCommit();
  }

  close(): void {
    this.log.empty();
    this.connection.close();
  }

  private transaction({ dueAt, work }: Group, isolated: boolean): GroupOutcome {
    this.deliveries.beginTransaction(dueAt);
    this.deadLetters.beginTransaction();
    this.traffic.clear();
    this.sql.begin.run();
    try {
      const results: GroupOutcome['results'] = { append: [], settle: [], change: [], prune: [], shrink: [] };
      const run = <Kind extends WorkKind>(kind: Kind, inputs: Group['work'][Kind]) => {
        const handle = this.handlers[kind];
        const attempt =
          isolated || ISOLATED.has(kind)
            ? (input: WorkTypes[Kind]['input']) => this.isolate(() => handle(input))
            : handle;
        for (const input of inputs) results[kind].push(attempt(input));
      };
      for (const kind of WORK_KINDS) run(kind, work[kind]);
      this.traffic.write();
      const deadLetters = this.deadLetters.counts();
      this.sql.commit.run();
      return { results, promoted: this.deliveries.promoted, deadLetters, refused: null };
    } catch (error) {
      if (this.connection.inTransaction) this.sql.rollback.run();
      throw error;
    }
  }

  private append([columns, minute, hash, targets, lanes, repeats]: AppendRow): AppendResult {
    const [receivedAt] = columns;
    const seq = this.lastSeq + 1;
    if (this.sql.claimIdentity.run(minute, hash, seq).changes === 0) {
      const first = this.sql.firstOfIdentity.get(minute, hash) as
        { seq: number; received_at: number } | undefined;
      if (first !== undefined && isRepeated(minute, receivedAt - first.received_at)) {
        const sent = targets.flatMap((target, i) =>
          repeats?.[i]
            ? [this.deliveries.addDuplicate(first.seq, target, lanes?.[i] ?? null, receivedAt)]
            : [],
        );
        const state = sent.length > 0 && sent.length === targets.length ? 'released' : 'held';
        const deliveredTo = sent.length === 0 ? null : JSON.stringify(sent.map(({ key }) => key.target));
        this.sql.insertDuplicate.run(first.seq, receivedAt, state, deliveredTo, first.seq);
        return sent.length === 0
          ? [first.seq, first.received_at, true]
          : [first.seq, first.received_at, true, sent];
      }
      // The first is too old; or it is pruned but its identity is not, since its timestamp was ahead of its arrival.
      this.sql.takeOverIdentity.run(seq, minute, hash);
    }
    this.sql.insertEvent.run(seq, ...columns);
    for (let i = 0; i < targets.length; i += 1)
      this.deliveries.add(seq, targets[i]!, lanes === null ? null : lanes[i]!, receivedAt);
    this.lastSeq = seq;
    return [seq, receivedAt, false];
  }

  private change({ statements, schedule, conclude }: Change) {
    const rows = statements.map(([text, parameters]) => {
      const statement = this.connection.prepare(text);
      if (statement.reader) return statement.all(...parameters.map(bindable));
      statement.run(...parameters.map(bindable));
      return [];
    });
    const scheduled = schedule.map((draft) => this.deliveries.schedule(draft));
    const concluded = conclude.map((draft) => this.deliveries.conclude(draft));
    // A statement may have removed the head of a lane that was scheduled behind.
    for (const { target, lane } of schedule) if (lane) this.deliveries.promote(target, lane);
    return { rows, scheduled, concluded };
  }

  private indexEvents(): void {
    const restore = this.markPosition();
    this.sql.begin.run();
    try {
      this.indexes.takePass();
      this.sql.commit.run();
    } catch {
      restore();
      // Readers scan what is not indexed, and the next group retries: only speed is lost.
      if (this.connection.inTransaction) this.sql.rollback.run();
    }
  }

  /** @returns a function that restores the position when a transaction, or a part of one, is rolled back */
  private markPosition(): () => void {
    const { lastSeq } = this;
    const { through } = this.indexes;
    return () => {
      this.lastSeq = lastSeq;
      this.indexes.through = through;
    };
  }

  /** @returns SQLite's code if the work itself is at fault; a disk fault ends the whole group */
  private isolate<T>(work: () => T): T | string {
    try {
      return this.inSavepoint(work);
    } catch (error) {
      if (isDiskFault(error)) throw error;
      return codeOf(error);
    }
  }

  private inSavepoint<T>(work: () => T): T {
    this.sql.savepoint.run();
    const restore = this.markPosition();
    try {
      const result = work();
      this.sql.release.run();
      return result;
    } catch (error) {
      restore();
      if (this.connection.inTransaction) {
        this.sql.rollbackToSavepoint.run();
        this.sql.release.run();
      }
      throw error;
    }
  }
}

/** Whether the same bytes under the same minute are the same notification, this long after the first. */
const isRepeated = (minute: number, laterMs: number) =>
  minute !== UNDATED_MINUTE || laterMs <= REPEATED_WITHIN_MS;
