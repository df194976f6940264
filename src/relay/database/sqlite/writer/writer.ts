import { statSync } from 'node:fs';
import { errorCode } from '../../../ground/describe-error';
import { threadTime } from '../../../ground/thread-time';
import {
  failAll,
  WORK_KINDS,
  type Group,
  type GroupOutcome,
  type WorkKind,
  type WorkTypes,
} from '../../journal/group';
import type { Change } from '../../journal/journal';
import { SELECT_INSTANCE, type InstanceRecord } from '../../journal/instance-record';
import { BUSY_TIMEOUT_MS, bindable, prepareWriting, sqliteDriver, type Connection } from '../sqlite-driver';
import { SqliteDeadLetters } from './dead-letters';
import { SqliteDeliveries } from './deliveries';
import { eraseEvents } from './erasing';
import { SqliteEventIndexes } from './event-indexes';
import { SqliteEvents } from './events';
import { SqliteIdentities } from './identities';
import { SqlitePruning } from './pruning';
import { SqliteTraffic } from './traffic';
import { SqliteVersions } from './versions';
import { WriteAheadLog } from './write-ahead-log';

/** Each of these is many statements, so it always runs in a savepoint of its own. */
const ISOLATED: ReadonlySet<WorkKind> = new Set(['change', 'prune', 'shrink']);

type Handlers = {
  [Kind in WorkKind]: (input: WorkTypes[Kind]['input']) => WorkTypes[Kind]['outcome'];
};

/** A code of our own among SQLite's: the group was not begun in time. */
const TOO_LATE = 'TOO_LATE';
/** A group may begin this late: Co-Pilot still waits then, and one late event must not fail all others. */
const MAX_DELAY_MS = 500;
/** SQLite's own code; with a write-ahead log SQLite does not check. */
const MOVED = 'SQLITE_READONLY_DBMOVED';
/** Timeouts of waits for the lock are rounded down to multiples of this, so that the pragma seldom runs. */
const LOCK_TIMEOUT_STEP_MS = 250;

/** The writing connection: one transaction per group, on disk when `commit` returns. */
export class SqliteWriter {
  readonly instance: InstanceRecord;
  private readonly connection: Connection;
  private readonly traffic: SqliteTraffic;
  private readonly deadLetters: SqliteDeadLetters;
  private readonly deliveries: SqliteDeliveries;
  private readonly identities: SqliteIdentities;
  private readonly events: SqliteEvents;
  private readonly indexes: SqliteEventIndexes;
  private readonly pruning: SqlitePruning;
  private readonly log: WriteAheadLog;
  private readonly runInTransaction: (work: () => unknown) => unknown;
  private lockTimeoutMs = BUSY_TIMEOUT_MS;
  private readonly handlers: Handlers = {
    append: (event) => this.events.append(event),
    result: (result) => this.deliveries.saveResult(result),
    change: (change) => this.change(change),
    prune: (step) => this.pruning.step(step, this.events.lastSeq),
    shrink: (pages) => this.pruning.shrink(pages),
  };

  private readonly identity: string | null;

  constructor(private readonly file: string) {
    this.connection = new sqliteDriver(file);
    this.identity = identityOf(file);
    prepareWriting(this.connection);
    this.connection.pragma('wal_autocheckpoint = 0');
    this.connection.pragma('temp_store = MEMORY');
    // 48 MiB: a million queued deliveries fill it, and the whole process must stay below 250 MiB.
    this.connection.pragma('cache_size = -49152');
    const transaction = this.connection.transaction((work: () => unknown) => work());
    this.runInTransaction = (work) => transaction.immediate(work);
    this.instance = this.connection.prepare(SELECT_INSTANCE).get() as InstanceRecord;
    this.traffic = new SqliteTraffic(this.connection);
    this.deadLetters = new SqliteDeadLetters(this.connection);
    this.deliveries = new SqliteDeliveries(this.connection, this.traffic, this.deadLetters);
    this.identities = new SqliteIdentities(this.connection);
    const versions = new SqliteVersions(this.connection);
    this.events = new SqliteEvents(this.connection, this.deliveries, this.identities, versions);
    this.indexes = new SqliteEventIndexes(this.connection, this.identities, versions);
    this.pruning = new SqlitePruning(this.connection, this.deliveries, this.deadLetters, this.indexes);
    this.log = new WriteAheadLog(this.connection);
  }

  /** `PRAGMA synchronous` of this connection; 2 is FULL. */
  get synchronous(): number {
    return Number(this.connection.pragma('synchronous', { simple: true }));
  }

  /** @param beginBefore the deadline of its oldest event, which is answered with 503 after that, as `threadTime` */
  commit(group: Group, beginBefore: number): GroupOutcome {
    const leftMs = Math.min(beginBefore - threadTime(), BUSY_TIMEOUT_MS);
    if (leftMs < -MAX_DELAY_MS) return failAll(group, TOO_LATE);
    // What is written to a file that was moved or deleted is lost when the process ends.
    if (identityOf(this.file) !== this.identity) return failAll(group, MOVED);
    this.waitForLock(Math.max(0, leftMs - (leftMs % LOCK_TIMEOUT_STEP_MS)));
    try {
      return this.commitAll(group, false);
    } catch (error) {
      if (isDiskFailure(error)) return failAll(group, errorCode(error));
    }
    // One row failed, and it is unknown which: run each in a savepoint, so that each has its own outcome.
    try {
      return this.commitAll(group, true);
    } catch (error) {
      return failAll(group, errorCode(error));
    }
  }

  /** Work that no response waits for; to be called between groups. */
  runMaintenance(): void {
    if (this.indexes.isBehind(this.events.lastSeq)) this.indexEvents();
    this.log.afterCommit();
  }

  /** Frees the pages that it caches, which the next groups read again from the cache of the operating system. */
  releaseMemory(): void {
    this.connection.pragma('shrink_memory');
  }

  close(): void {
    this.log.empty();
    this.connection.close();
  }

  private commitAll({ now, work }: Group, isolated: boolean): GroupOutcome {
    this.deliveries.beginTransaction(now);
    this.deadLetters.beginTransaction();
    this.traffic.clear();
    return this.transaction(() => {
      const outcomes: GroupOutcome['outcomes'] = {
        append: [],
        result: [],
        change: [],
        prune: [],
        shrink: [],
      };
      const run = <Kind extends WorkKind>(kind: Kind, inputs: Group['work'][Kind]) => {
        const handle = this.handlers[kind];
        const attempt =
          isolated || ISOLATED.has(kind)
            ? (input: WorkTypes[Kind]['input']) => this.isolate(() => this.flushed(handle(input)))
            : handle;
        for (const input of inputs) outcomes[kind].push(attempt(input));
        this.events.flush();
      };
      for (const kind of WORK_KINDS) run(kind, work[kind]);
      this.traffic.write();
      const deadLetters = this.deadLetters.counts();
      return { outcomes, promoted: this.deliveries.promoted, deadLetters, error: null };
    });
  }

  private change({ statements, schedule, end, erase }: Change) {
    const rows = statements.map(([text, parameters]) => {
      const statement = this.connection.prepare(text);
      if (statement.reader) return statement.all(...parameters.map(bindable));
      statement.run(...parameters.map(bindable));
      return [];
    });
    const scheduled = schedule.map((draft) => this.deliveries.schedule(draft));
    const ended = end.map((draft) => this.deliveries.end(draft));
    const cancelled = erase === undefined ? [] : eraseEvents(this.connection, this.deliveries, erase);
    return { rows, scheduled, ended, cancelled };
  }

  /** How long a transaction waits while another program writes. */
  private waitForLock(limitMs: number): void {
    if (limitMs !== this.lockTimeoutMs) this.connection.pragma(`busy_timeout = ${limitMs}`);
    this.lockTimeoutMs = limitMs;
  }

  private indexEvents(): void {
    this.waitForLock(0);
    try {
      this.transaction(() => this.indexes.runPass());
    } catch {
      // Readers scan what is not indexed, and the next pass retries: only speed is lost.
    }
  }

  /** @returns the outcome, after everything that it depends on was written */
  private flushed<Outcome>(outcome: Outcome): Outcome {
    this.events.flush();
    return outcome;
  }

  /** @returns SQLite's code if the work itself is at fault; a disk fault ends the whole group */
  private isolate<T>(work: () => T): T | string {
    try {
      return this.transaction(work);
    } catch (error) {
      if (isDiskFailure(error)) throw error;
      return errorCode(error);
    }
  }

  /** Runs work in a transaction, or in a savepoint within one. If it throws, everything is as it was before. */
  private transaction<T>(work: () => T): T {
    const { lastSeq } = this.events;
    const { through } = this.indexes;
    try {
      return this.runInTransaction(work) as T;
    } catch (error) {
      this.events.lastSeq = lastSeq;
      this.indexes.through = through;
      this.events.forget();
      throw error;
    }
  }
}

/** Errors of the disk or the file. They affect every row, so it does not help to run rows one by one. */
const DISK_FAILURES = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM|BUSY|PROTOCOL)/;

const isDiskFailure = (error: unknown) => DISK_FAILURES.test(errorCode(error));

/** Device and inode of the file at this path; null if there is none. Takes 3 µs. */
function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
