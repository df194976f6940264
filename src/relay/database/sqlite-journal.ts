import { eventId } from '../ids';
import type { Clock } from '../clock';
import { RelayError } from '../relay-error';
import { packAppends, type AppendResult, type Group, type GroupOutcome } from './group';
import {
  Journal,
  type AppendOutcome,
  type ChangeOutcome,
  type Committed,
  type DeliverableEvent,
  type DeliveryResult,
  type DueDelivery,
  type EventDraft,
  type PruneOutcome,
  type PruneStep,
  type ScheduleDraft,
  type Statement,
} from './journal';
import { openReading, type Connection, type SqliteStatement } from './sqlite-driver';
import { SqliteThreads } from './sqlite-threads';

/** What is not committed this long after its arrival is answered 503: Co-Pilot gives up at 5 s and tries again. */
const COMMIT_WITHIN_MS = 4_000;

/** The queue before the writer; beyond it notifications are refused, and Co-Pilot's own retry carries them over. */
const QUEUE_LIMIT_BYTES = 64 * 1024 * 1024;
const GROUP_LIMIT_EVENTS = 500;
const GROUP_LIMIT_BYTES = 8 * 1024 * 1024;

/** Results wait this long for company: nobody waits for them, and a sync of the disk for each would be waste. */
const RESULT_DELAY_MS = 10;
const RESULT_GROUP = 500;
/** After a group that the disk refused, results are tried again at this pace. */
const RESULT_RETRY_MS = 1_000;

interface PendingAppend {
  draft: EventDraft;
  plan: () => number[];
  resolve: (outcome: AppendOutcome) => void;
}

interface Planned {
  draft: EventDraft;
  targets: number[];
}

interface PendingSettle {
  result: DeliveryResult;
  resolve: () => void;
}

interface PendingChange {
  statements: Statement[];
  schedule: ScheduleDraft[];
  resolve: (outcome: ChangeOutcome) => void;
  reject: (error: RelayError) => void;
}

interface PendingPrune {
  step: PruneStep;
  resolve: (outcome: PruneOutcome) => void;
}

/** The journal over a SQLite file: group commit by back-pressure, through the one thread that writes. */
export class SqliteJournal extends Journal {
  readonly hub: number;
  private appends: PendingAppend[] = [];
  private appendedBytes = 0;
  private settles: PendingSettle[] = [];
  private changes: PendingChange[] = [];
  private prunes: PendingPrune[] = [];
  private committing: Promise<void> | null = null;
  private scheduled = false;
  private closing = false;
  private resultTimer: NodeJS.Timeout | null = null;
  private lateTimer: NodeJS.Timeout | null = null;
  private readonly listeners: ((committed: Committed) => void)[] = [];
  private readonly due: SqliteStatement<DueRow>;
  private readonly event: SqliteStatement<EventRow>;

  private constructor(
    private readonly threads: SqliteThreads,
    private readonly reading: Connection,
    private readonly clock: Clock,
  ) {
    super();
    this.hub = threads.hub;
    this.due = reading.prepare<unknown[], DueRow>(
      `SELECT event_seq, n, attempts, due_at, created_at, "trigger", replay_id FROM deliveries
       WHERE target_id = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, event_seq, n LIMIT ?`,
    );
    this.event = reading.prepare<unknown[], EventRow>(
      `SELECT type, entity, received_at, content_type, signature_header, signature_value, body FROM events WHERE seq = ?`,
    );
  }

  /** @param file a database that is migrated already */
  static async open(file: string, clock: Clock): Promise<SqliteJournal> {
    return new SqliteJournal(await SqliteThreads.start(file), openReading(file), clock);
  }

  /** `PRAGMA synchronous` of the connection that writes; 2 is FULL. */
  get synchronous(): number {
    return this.threads.synchronous;
  }

  append(draft: EventDraft, plan: () => number[]): Promise<AppendOutcome> {
    if (this.appendedBytes + draft.body.byteLength > QUEUE_LIMIT_BYTES) {
      return Promise.resolve({ status: 'refused', reason: 'overload' });
    }
    return new Promise((resolve) => {
      this.appends.push({ draft, plan, resolve });
      this.appendedBytes += draft.body.byteLength;
      this.watchLateness();
      this.commitSoon();
    });
  }

  settle(result: DeliveryResult): Promise<void> {
    return new Promise((resolve) => {
      this.settles.push({ result, resolve });
      if (this.settles.length >= RESULT_GROUP) this.commitSoon();
      else this.commitResultsIn(RESULT_DELAY_MS);
    });
  }

  change(statements: Statement[], schedule: ScheduleDraft[] = []): Promise<ChangeOutcome> {
    return new Promise((resolve, reject) => {
      this.changes.push({ statements, schedule, resolve, reject });
      this.commitSoon();
    });
  }

  prune(step: PruneStep): Promise<PruneOutcome> {
    return new Promise((resolve) => {
      this.prunes.push({ step, resolve });
      this.commitSoon();
    });
  }

  takeDue(target: number, now: number, limit: number): Promise<DueDelivery[]> {
    const rows = this.due.all(target, now, limit);
    return Promise.resolve(
      rows.map((row) => ({
        key: { seq: row.event_seq, target, n: row.n },
        attempts: row.attempts,
        dueAt: row.due_at,
        createdAt: row.created_at,
        trigger: row.trigger,
        replayId: row.replay_id,
      })),
    );
  }

  readEvent(seq: number): Promise<DeliverableEvent | null> {
    const row = this.event.get(seq);
    if (row === undefined) return Promise.resolve(null);
    return Promise.resolve({
      seq,
      type: row.type,
      entity: row.entity,
      receivedAt: row.received_at,
      contentType: row.content_type,
      signatureHeader: row.signature_header,
      signatureValue: row.signature_value,
      body: row.body,
    });
  }

  onCommit(listener: (committed: Committed) => void): void {
    this.listeners.push(listener);
  }

  async close(): Promise<void> {
    this.closing = true;
    for (const timer of [this.resultTimer, this.lateTimer]) if (timer !== null) clearTimeout(timer);
    await this.committing;
    await this.commitGroup();
    this.reading.close();
    await this.threads.close();
  }

  /**
   * One group at a time; what arrives while it is under way is the next. Scheduled behind the promises that the last
   * group resolved, so that what they changed (a target removed) holds for the next plan.
   */
  private commitSoon(): void {
    if (this.committing !== null || this.scheduled || this.closing) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.closing) return;
      this.committing = this.commitGroup().finally(() => {
        this.committing = null;
        if (this.appends.length + this.changes.length + this.prunes.length > 0) this.commitSoon();
      });
    });
  }

  private commitResultsIn(delayMs: number): void {
    if (this.closing) return;
    this.resultTimer ??= setTimeout(() => {
      this.resultTimer = null;
      this.commitSoon();
    }, delayMs);
  }

  private async commitGroup(): Promise<void> {
    const appends = this.takeAppends();
    const settles = this.settles.splice(0, RESULT_GROUP);
    const changes = this.changes.splice(0);
    const prune = this.prunes.shift();
    if (appends.length + settles.length + changes.length === 0 && prune === undefined) return;

    const planned = appends.map(({ draft, plan }) => ({ draft, targets: plan() }));
    const { rows, buffer } = packAppends(planned);
    const group: Group = {
      appends: rows,
      settles: settles.map(({ result }) => result),
      changes: changes.map(({ statements, schedule }) => ({ statements, schedule })),
      prune: prune?.step ?? null,
    };
    const outcome = await this.threads.commit(group, buffer);
    this.tell(planned, group, outcome);

    appends.forEach(({ resolve }, i) => resolve(this.appendOutcome(outcome.appends[i]!)));
    changes.forEach(({ resolve, reject }, i) => {
      const result = outcome.changes[i]!;
      if ('failed' in result) reject(storageFailed(result.failed));
      else resolve(result);
    });
    const unsettled = settles.filter(({ resolve }, i) => {
      if (outcome.settles[i] === null) resolve();
      return outcome.settles[i] !== null;
    });
    this.settles.unshift(...unsettled);
    if (unsettled.length > 0) this.commitResultsIn(RESULT_RETRY_MS);
    else if (this.settles.length > 0)
      this.commitResultsIn(this.settles.length >= RESULT_GROUP ? 0 : RESULT_DELAY_MS);
    prune?.resolve(outcome.pruned ?? { removed: 0, next: null });
  }

  private takeAppends(): PendingAppend[] {
    this.refuseLate();
    let bytes = 0;
    let count = 0;
    for (const { draft } of this.appends) {
      bytes += draft.body.byteLength;
      if (count === GROUP_LIMIT_EVENTS || (count > 0 && bytes > GROUP_LIMIT_BYTES)) break;
      count += 1;
    }
    const taken = this.appends.splice(0, count);
    for (const { draft } of taken) this.appendedBytes -= draft.body.byteLength;
    return taken;
  }

  /** Arrival order is nearly queue order, so the head tells when the next look is due. */
  private watchLateness(): void {
    this.lateTimer ??= setTimeout(() => {
      this.lateTimer = null;
      this.refuseLate();
      if (this.appends.length > 0) this.watchLateness();
    }, 250);
  }

  private refuseLate(): void {
    const limit = this.clock.now() - COMMIT_WITHIN_MS;
    if (!this.appends.some(({ draft }) => draft.receivedAt <= limit)) return;
    const late = this.appends.filter(({ draft }) => draft.receivedAt <= limit);
    this.appends = this.appends.filter(({ draft }) => draft.receivedAt > limit);
    for (const { draft, resolve } of late) {
      this.appendedBytes -= draft.body.byteLength;
      resolve({ status: 'refused', reason: 'late' });
    }
  }

  private tell(planned: Planned[], group: Group, outcome: GroupOutcome): void {
    const committed: Committed = {
      events: planned.flatMap(({ draft, targets }, i) => {
        const result = outcome.appends[i]!;
        return typeof result === 'string' || result[2] ? [] : [{ seq: result[0], draft, targets }];
      }),
      scheduled: group.changes.flatMap(({ schedule }, i) => {
        const result = outcome.changes[i]!;
        return 'failed' in result
          ? []
          : schedule.map((draft, k) => ({ ...draft, n: result.scheduled[k]!.n }));
      }),
      settled: group.settles.filter((_, i) => outcome.settles[i] === null),
    };
    for (const listener of this.listeners) listener(committed);
  }

  private appendOutcome(result: AppendResult): AppendOutcome {
    if (typeof result === 'string') return { status: 'refused', reason: 'storage', cause: result };
    const [seq, receivedAt, duplicate] = result;
    return { status: duplicate ? 'duplicate' : 'accepted', seq, id: eventId(receivedAt, seq, this.hub) };
  }
}

interface DueRow {
  event_seq: number;
  n: number;
  attempts: number;
  due_at: number;
  created_at: number;
  trigger: DueDelivery['trigger'];
  replay_id: string | null;
}

interface EventRow {
  type: string;
  entity: string | null;
  received_at: number;
  content_type: string | null;
  signature_header: string;
  signature_value: string;
  body: Uint8Array;
}

function storageFailed(code: string): RelayError {
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return new RelayError('conflict', 409, 'The change contradicts what is stored.', { cause: code });
  }
  return new RelayError('storage_failed', 503, 'The database could not be written; nothing was changed.', {
    remedy: 'Check the disk of DATA_DIR (space, errors), then try again.',
    cause: code,
  });
}
