import { statSync } from 'node:fs';
import type { DeliveryKey } from '../ids';
import type {
  AppendResult,
  AppendRow,
  Group,
  GroupOutcome,
  RepeatDelivery,
  SettleOutcome,
  SettleRow,
} from './group';
import type { Concludable, ConcludeDraft, ScheduleDraft } from './journal';
import { bindable, BUSY_TIMEOUT_MS, prepareWriting, sqliteDriver, type Connection } from './sqlite-driver';
import { GOING_TABLE, SqlitePruning } from './sqlite-pruning';
import { sqliteStatements, type Statements } from './sqlite-statements';
import { SqliteTraffic } from './sqlite-traffic';

/** Errors of the disk or the file: they meet every row alike, so trying the rows one by one is of no use. */
const DISK_FAULTS = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM|BUSY|PROTOCOL)/;

/** One pass sorts this many events into the search indexes, and counts them: about 5 ms, within what an answer may wait. */
const INDEX_PASS_EVENTS = 1_000;

/** The checkpoint thread never gets to the log's end while writing goes on; past this size the writer waits for it. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;
const COMMITS_BETWEEN_LOG_CHECKS = 256;
/** A long read holds the log as it is; notifications wait no longer than this for it to end. */
const LOG_WAIT_MS = 250;

/** The connection that writes: one transaction per group, on disk when `commit` returns. */
export class SqliteWriter {
  readonly hub: number;
  private readonly connection: Connection;
  private readonly sql: Statements;
  private readonly pruning: SqlitePruning;
  private readonly traffic: SqliteTraffic;
  private lastSeq: number;
  private indexedThrough: number;
  private commits = 0;
  private promoted: DeliveryKey[] = [];

  constructor(private readonly file: string) {
    this.connection = new sqliteDriver(file);
    prepareWriting(this.connection);
    this.connection.pragma('wal_autocheckpoint = 0');
    this.connection.pragma('temp_store = MEMORY');
    // 48 MiB: with a million deliveries waiting it fills, and the whole process is to stay below 250.
    this.connection.pragma('cache_size = -49152');
    this.connection.exec(GOING_TABLE);
    this.sql = sqliteStatements(this.connection);
    this.pruning = new SqlitePruning(this.connection, this.sql, {
      conclude: (draft) => this.conclude(draft),
      countThrough: (seq) => this.countThrough(seq),
    });
    this.traffic = new SqliteTraffic(this.connection);
    const start = this.sql.start.get() as { tag: number; indexed_through: number; last_seq: number };
    this.hub = start.tag;
    this.indexedThrough = start.indexed_through;
    this.lastSeq = start.last_seq;
  }

  /** How `PRAGMA synchronous` stands on this connection; 2 is FULL. */
  get synchronous(): number {
    return Number(this.connection.pragma('synchronous', { simple: true }));
  }

  commit(group: Group): GroupOutcome {
    const goBack = this.markPosition();
    try {
      return this.transaction(group, false);
    } catch (error) {
      goBack();
      if (isDiskFault(error)) return refuseAll(group, codeOf(error));
    }
    // One row is at fault, and nobody knows which: each gets a savepoint, and so an outcome of its own.
    try {
      return this.transaction(group, true);
    } catch (error) {
      goBack();
      return refuseAll(group, codeOf(error));
    }
  }

  /** Work that no answer waits for; to be called between groups. */
  tidy(): void {
    if (this.lastSeq - this.indexedThrough >= INDEX_PASS_EVENTS) this.indexEvents();
    this.commits += 1;
    if (this.commits % COMMITS_BETWEEN_LOG_CHECKS === 0) this.shortenLog();
  }

  close(): void {
    try {
      this.connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk fails: the log keeps everything, and the next start reads it.
    }
    this.connection.close();
  }

  private shortenLog(): void {
    try {
      if (statSync(`${this.file}-wal`).size <= LOG_LIMIT_BYTES) return;
      this.connection.pragma(`busy_timeout = ${LOG_WAIT_MS}`);
      this.connection.pragma('wal_checkpoint(RESTART)');
    } catch {
      // The disk fails: the log keeps everything, and the notifications of the next group are told.
    } finally {
      this.connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  private transaction(group: Group, guarded: boolean): GroupOutcome {
    const guard = guarded ? <T>(work: () => T) => this.inSavepoint(work) : <T>(work: () => T) => work();
    this.promoted = [];
    this.traffic.clear();
    this.sql.begin.run();
    try {
      // Changes come last: what a deleted target was still given in this group is cancelled with the rest.
      const appends = group.appends.map((row) =>
        attempted<AppendResult>(
          guarded,
          () => guard(() => this.append(row)),
          (cause) => cause,
        ),
      );
      const settles = group.settles.map((row) =>
        attempted<SettleOutcome>(
          guarded,
          () => guard(() => this.settle(row)),
          (cause) => cause,
        ),
      );
      const changes = group.changes.map((change) =>
        attempted<GroupOutcome['changes'][number]>(
          true,
          () => this.inSavepoint(() => this.change(change)),
          (failed) => ({ failed }),
        ),
      );
      const { prune } = group;
      const pruned =
        prune === null
          ? null
          : attempted<NonNullable<GroupOutcome['pruned']>>(
              true,
              () => this.inSavepoint(() => this.pruning.step(prune, this.lastSeq)),
              (failed) => ({ failed }),
            );
      const { shrink } = group;
      const shrunk =
        shrink === null
          ? null
          : attempted<NonNullable<GroupOutcome['shrunk']>>(
              true,
              () => this.inSavepoint(() => this.pruning.shrink(shrink)),
              (failed) => ({ failed }),
            );
      this.traffic.write();
      this.sql.commit.run();
      return { appends, settles, changes, pruned, shrunk, promoted: this.promoted };
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
      if (first !== undefined) {
        const sent = targets.flatMap((target, i) =>
          repeats?.[i] ? [this.repeat(first.seq, target, lanes?.[i] ?? null, receivedAt)] : [],
        );
        const state = sent.length > 0 && sent.length === targets.length ? 'released' : 'held';
        const deliveredTo = sent.length === 0 ? null : JSON.stringify(sent.map(({ key }) => key.target));
        this.sql.insertDuplicate.run(first.seq, receivedAt, state, deliveredTo, first.seq);
        return sent.length === 0
          ? [first.seq, first.received_at, true]
          : [first.seq, first.received_at, true, sent];
      }
      // The first is pruned and its identity is not yet: its timestamp was ahead of its arrival.
      this.sql.takeOverIdentity.run(seq, minute, hash);
    }
    this.sql.insertEvent.run(seq, ...columns);
    for (let i = 0; i < targets.length; i += 1) {
      const lane = lanes === null ? null : lanes[i]!;
      if (lane === null) this.sql.insertDelivery.run(seq, targets[i], receivedAt, receivedAt);
      else this.appendToLane(seq, targets[i]!, lane, receivedAt);
    }
    this.lastSeq = seq;
    return [seq, receivedAt, false];
  }

  /** Behind the first one while that is open in its lane; then there is no place left in it for its event. */
  private repeat(seq: number, target: number, lane: string | null, at: number): RepeatDelivery {
    const taken = lane !== null && this.sql.openInLane.get(seq, target, lane) !== undefined ? lane : null;
    const key = this.schedule({ seq, target, trigger: 'live', replayId: null, at, lane: taken });
    return { key, lane: taken };
  }

  private appendToLane(seq: number, target: number, lane: string, receivedAt: number): void {
    const waits = this.isTaken(target, lane);
    const dueAt = waits ? null : receivedAt;
    this.sql.insertLaneDelivery.run(seq, target, waits ? 'waiting' : 'pending', receivedAt, dueAt, lane);
  }

  private isTaken(target: number, lane: string): boolean {
    return this.sql.firstInLane.get(target, lane) !== undefined;
  }

  /** Lets the next in a lane come forward, where the lane has nobody at its head. */
  private promote(target: number, lane: string, at: number): void {
    this.promoted.push(...(this.sql.promoteFirst.all(at, target, lane) as DeliveryKey[]));
  }

  private settle(row: SettleRow): boolean {
    const [seq, target, n, lane, stopsLane, number, at, durationMs, status, error, excerpt, state] = row;
    this.sql.insertAttempt.run(seq, target, n, number, at, durationMs, status, error, excerpt);
    const endedAt = at + durationMs;
    const through = state !== 'retrying' && !stopsLane;
    const changes =
      state === 'succeeded'
        ? this.sql.succeedDelivery.run(number, endedAt, status, seq, target, n).changes
        : this.settleFailed(row, through ? endedAt : null);
    if (changes === 0) this.settleConcluded(row);
    else {
      if (lane !== null && through) this.promote(target, lane, endedAt);
      this.traffic.note(row);
    }
    return changes > 0;
  }

  /** Its delivery was concluded while the attempt was under way, or removed even: then nothing of it is kept. */
  private settleConcluded([seq, target, n, , , number, , , status, error]: SettleRow): void {
    const { changes } = this.sql.countAttempt.run(number, status, error, seq, target, n);
    if (changes === 0) this.sql.removeAttempt.run(seq, target, n, number);
  }

  private settleFailed(row: SettleRow, settledAt: number | null): number {
    const [seq, target, n, , , number, , , status, error, , state, dueAt, spared, firstAt, note] = row;
    const leastClass = state === 'retrying' ? 1 : 0;
    return this.sql.failDelivery.run(
      state,
      number,
      dueAt,
      settledAt,
      status,
      error,
      leastClass,
      spared,
      firstAt,
      note,
      seq,
      target,
      n,
    ).changes;
  }

  private change({ statements, schedule, conclude }: Group['changes'][number]) {
    const rows = statements.map(([text, parameters]) => {
      const statement = this.connection.prepare(text);
      if (statement.reader) return statement.all(...parameters.map(bindable));
      statement.run(...parameters.map(bindable));
      return [];
    });
    const scheduled = schedule.map((draft) => this.schedule(draft));
    const concluded = conclude.map((draft) => this.conclude(draft));
    // A statement may have taken the head of a lane away from what was scheduled behind it.
    for (const { target, lane, at } of schedule) if (lane) this.promote(target, lane, at);
    return { rows, scheduled, concluded };
  }

  private schedule(draft: ScheduleDraft): DeliveryKey {
    const { seq, target, trigger, replayId, at, editedBody, lane = null } = draft;
    const ofClass = draft.class ?? (trigger === 'replay' ? 2 : 0);
    const { n } = this.sql.nextDeliveryNumber.get(seq, target) as { n: number };
    const waits = lane !== null && this.isTaken(target, lane);
    const [state, dueAt] = waits ? ['waiting', null] : ['pending', at];
    this.sql.scheduleDelivery.run(seq, target, n, state, trigger, replayId, at, dueAt, lane, ofClass);
    if (typeof editedBody === 'number') this.sql.repeatEditedBody.run(n, seq, target, editedBody);
    else if (editedBody !== undefined) this.sql.insertEditedBody.run(seq, target, n, editedBody);
    return { seq, target, n };
  }

  private conclude({ key: { seq, target, n }, note, at }: ConcludeDraft): Concludable | null {
    const before = this.sql.concludable.get(seq, target, n) as
      { state: Concludable; lane: string | null } | undefined;
    if (before === undefined) return null;
    this.sql.concludeDelivery.run(at, note, seq, target, n);
    if (before.lane !== null) this.promote(target, before.lane, at);
    return before.state;
  }

  private indexEvents(): void {
    const goBack = this.markPosition();
    this.sql.begin.run();
    try {
      this.indexThrough(this.indexedThrough + INDEX_PASS_EVENTS);
      this.sql.commit.run();
    } catch {
      goBack();
      // Readers scan what is not indexed, and the next group tries again: nothing is lost but speed.
      if (this.connection.inTransaction) this.sql.rollback.run();
    }
  }

  private countThrough(seq: number): void {
    if (seq > this.indexedThrough) this.indexThrough(seq);
  }

  /** In a transaction: the counts of what is indexed are the counts of what was counted, after every crash. */
  private indexThrough(through: number): void {
    this.sql.indexTypes.run(this.indexedThrough, through);
    this.sql.indexEntities.run(this.indexedThrough, through);
    this.traffic.countEvents(this.indexedThrough, through);
    this.sql.setIndexedThrough.run(through);
    this.indexedThrough = through;
  }

  /** What leads back to here where a transaction, or a part of one, comes to nothing. */
  private markPosition(): () => void {
    const { lastSeq, indexedThrough } = this;
    return () => {
      this.lastSeq = lastSeq;
      this.indexedThrough = indexedThrough;
    };
  }

  private inSavepoint<T>(work: () => T): T {
    this.sql.savepoint.run();
    const goBack = this.markPosition();
    try {
      const result = work();
      this.sql.release.run();
      return result;
    } catch (error) {
      goBack();
      if (this.connection.inTransaction) {
        this.sql.rollbackToSavepoint.run();
        this.sql.release.run();
      }
      throw error;
    }
  }
}

/** A row's own fault becomes its outcome; a fault of the disk ends the whole group. */
function attempted<T>(guarded: boolean, work: () => T, failed: (cause: string) => T): T {
  if (!guarded) return work();
  try {
    return work();
  } catch (error) {
    if (isDiskFault(error)) throw error;
    return failed(codeOf(error));
  }
}

function refuseAll(group: Group, cause: string): GroupOutcome {
  return {
    appends: group.appends.map(() => cause),
    settles: group.settles.map(() => cause),
    changes: group.changes.map(() => ({ failed: cause })),
    pruned: group.prune === null ? null : { failed: cause },
    shrunk: group.shrink === null ? null : { failed: cause },
    promoted: [],
  };
}

const isDiskFault = (error: unknown) => DISK_FAULTS.test(codeOf(error));

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}
