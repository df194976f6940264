import type { DeliveryKey } from '../../../ground/ids';
import {
  PRIORITY,
  type DeliveryResult,
  type Ended,
  type EndDraft,
  type PromotedDelivery,
  type ScheduleDraft,
} from '../../journal/journal';
import type { DuplicateDelivery } from '../../journal/group';
import { unpackResult, type PackedResult } from '../../journal/packed-rows';
import type { Connection } from '../sqlite-driver';
import type { SqliteDeadLetters } from './dead-letters';
import { deliveryStatements, type DeliveryStatements } from './delivery-statements';
import type { SqliteTraffic } from './traffic';

/** A delivery that can be ended: a queued one or a dead letter. */
type EndableRow = Ended & { lane: string | null };

/** Writes deliveries and maintains their lanes. */
export class SqliteDeliveries {
  private readonly sql: DeliveryStatements;
  private promotedInTransaction: PromotedDelivery[] = [];
  /** The due time of deliveries that are due immediately: one per transaction, so that `seq` decides their order. */
  private now = 0;

  constructor(
    connection: Connection,
    private readonly traffic: SqliteTraffic,
    private readonly deadLetters: SqliteDeadLetters,
  ) {
    this.sql = deliveryStatements(connection);
  }

  /** The deliveries that became the head of their lane since the transaction began. */
  get promoted(): PromotedDelivery[] {
    return this.promotedInTransaction;
  }

  /** @param now see {@link Group.now} */
  beginTransaction(now: number): void {
    this.promotedInTransaction = [];
    this.now = now;
  }

  /** For an event that was just stored: due immediately, unless its lane is occupied. Stored by the next `flush`. */
  add(seq: number, target: number, lane: string | null, receivedAt: number): void {
    if (lane === null) this.sql.insertLive.add(seq, target, receivedAt, this.now);
    else if (this.isOccupied(target, lane))
      this.sql.insertInLane.run(seq, target, 'waiting', receivedAt, null, lane);
    else this.sql.insertInLane.run(seq, target, 'pending', receivedAt, this.now, lane);
  }

  /** Inserts what was added. */
  flush(): void {
    this.sql.insertLive.flush();
  }

  /** Forgets what was added since the last `flush`. */
  forget(): void {
    this.sql.insertLive.clear();
  }

  /**
   * A delivery of a duplicate. It is in the lane only while another delivery of the event is queued there: after
   * that, newer events of the lane may have been delivered.
   */
  addDuplicate(seq: number, target: number, lane: string | null, at: number): DuplicateDelivery {
    const isQueuedInLane =
      lane !== null && this.sql.unfinishedInLane.get({ seq, target, lane }) !== undefined;
    const draft = { seq, target, trigger: 'live' as const, replayId: null, at };
    const inLane = isQueuedInLane ? lane : null;
    return { key: this.schedule({ ...draft, lane: inLane }), lane: inLane };
  }

  schedule(draft: ScheduleDraft): DeliveryKey {
    const { seq, target, trigger, replayId, at, retryOf, isFirst } = draft;
    const place = retryOf === undefined ? null : this.leaveLane({ seq, target, n: retryOf }, at);
    const lane = place ?? draft.lane ?? null;
    const last =
      isFirst === true
        ? { n: -1, isReplaced: 0 }
        : (this.sql.last.get({ seq, target }) as { n: number; isReplaced: 0 | 1 } | undefined);
    if (last?.isReplaced === 1) this.deadLetters.replaced(target);
    const key = { seq, target, n: (last?.n ?? 0) + 1 };
    const waits = lane !== null && this.isOccupied(target, lane);
    this.sql.insert.run({
      ...key,
      state: waits ? 'waiting' : 'pending',
      trigger,
      replayId,
      at,
      dueAt: waits ? null : this.now,
      lane,
      class: draft.class ?? (trigger === 'replay' ? PRIORITY.replay : PRIORITY.live),
    });
    this.sql.indexTarget.run({ seq, target });
    if (draft.editedBody !== undefined) this.sql.insertEditedBody.run({ ...key, body: draft.editedBody });
    if (retryOf !== undefined) this.sql.copyEditedBody.run({ ...key, from: retryOf });
    if (place !== null) this.promote(target, place);
    return key;
  }

  /** @returns whether the result took effect: false if its delivery was ended during the attempt */
  saveResult(packed: PackedResult): boolean {
    const result = unpackResult(packed);
    const { key, attempt, state, lane } = result;
    const { number, at, durationMs, status, error, excerpt, transform, previous } = attempt;
    const names = [key.seq, key.target, key.n, number];
    const kept = this.isErased(previous) ? null : excerpt;
    this.sql.insertAttempt.run(...names, at, durationMs, status, error, kept, transform, previous);
    const endedAt = at + durationMs;
    const leavesLane = state !== 'retrying' && !result.blocksLane;
    const { changes } =
      state === 'succeeded'
        ? this.sql.succeed.run(number, endedAt, status, key.seq, key.target, key.n)
        : this.saveFailure(result, leavesLane ? endedAt : null);
    if (changes === 0) {
      this.recordAttemptOfEnded(result);
      return false;
    }
    if (lane !== null && leavesLane) this.promote(key.target, lane);
    if (state === 'dead') this.deadLetters.count(key, 1);
    if (state === 'succeeded' ? key.n > 0 : result.blocksLane) this.releaseDelivered(key, endedAt);
    this.traffic.recordAttempt(result);
    return true;
  }

  /** Ends a delivery without another attempt. @returns null if it was left unchanged */
  end(draft: EndDraft): Ended | null {
    const { key, note, at, asDeadLetter } = draft;
    const row = this.sql.endable.get(key) as EndableRow | undefined;
    if (row === undefined) return null;
    const { lane, ...ended } = row;
    if (asDeadLetter !== undefined)
      return this.turnIntoDeadLetter(row, { ...draft, asDeadLetter }) ? ended : null;
    if (ended.previousState === 'dead') this.deadLetters.count(key, -1);
    this.sql.cancel.run({ ...key, at, note });
    if (lane !== null) this.promote(key.target, lane);
    return ended;
  }

  /** Makes the first unfinished delivery of a lane due if it is waiting: its predecessor has left the lane. */
  promote(target: number, lane: string): void {
    this.promotedInTransaction.push(
      ...(this.sql.promoteFirst.all(this.now, target, lane) as PromotedDelivery[]),
    );
  }

  /** @returns whether the delivery was queued, and is a dead letter now */
  private turnIntoDeadLetter(
    { previousState: state, lane }: EndableRow,
    { key, note, at, asDeadLetter: { ending, blocksLane } }: Required<EndDraft>,
  ): boolean {
    if (state === 'dead') return false;
    const isHead = state !== 'waiting';
    // If dead letters block their lane, a delivery behind a queued one is still to be sent after it, and stays.
    if (lane !== null && blocksLane && !isHead && !this.isBlocked(key.target, lane)) return false;
    // Only the head blocks the lane, by remaining its first unfinished delivery.
    const finishedAt = lane !== null && blocksLane && isHead ? null : at;
    this.sql.makeDead.run({ ...key, finishedAt, note, ending });
    this.deadLetters.count(key, 1);
    this.traffic.recordDead(key.target, at);
    if (finishedAt === null) this.releaseDelivered(key, at);
    else if (lane !== null) this.promote(key.target, lane);
    return true;
  }

  /** @returns the lane that the delivery blocked as a dead letter; null if it did not */
  private leaveLane(key: DeliveryKey, at: number): string | null {
    const row = this.sql.leaveLane.get({ ...key, at }) as { lane: string } | undefined;
    if (row !== undefined) this.deadLetters.leftLane(key);
    return row?.lane ?? null;
  }

  /** A dead letter stops blocking its lane once another delivery of its event has succeeded. */
  private releaseDelivered({ seq, target }: DeliveryKey, at: number): void {
    for (const { lane } of this.sql.releaseDelivered.all({ seq, target, at }) as { lane: string }[]) {
      this.deadLetters.replaced(target);
      this.promote(target, lane);
    }
  }

  /** Whether a dead letter blocks the lane. */
  private isBlocked(target: number, lane: string): boolean {
    const first = this.sql.firstState.get({ target, lane }) as { state: string } | undefined;
    return first?.state === 'dead';
  }

  private isOccupied(target: number, lane: string): boolean {
    return this.sql.firstInLane.get(target, lane) !== undefined;
  }

  private saveFailure({ key, attempt, ...result }: DeliveryResult, finishedAt: number | null) {
    const { state, dueAt, uncounted, note, ending } = result;
    // An ending is the cause instead of the attempt's outcome, so there is no status beside it.
    return this.sql.fail.run(
      state,
      attempt.number,
      dueAt,
      finishedAt,
      ending === undefined ? attempt.status : null,
      ending ?? attempt.error,
      state === 'retrying' ? PRIORITY.retry : PRIORITY.live,
      uncounted,
      note,
      key.seq,
      key.target,
      key.n,
    );
  }

  /** Whether what was `$previous` of an attempt was erased while it was in flight: its excerpt may quote it. */
  private isErased(previous: number | null): boolean {
    return previous !== null && previous > 0 && this.sql.erased.get(previous) !== undefined;
  }

  /**
   * The delivery was ended during the attempt, so only its last attempt is updated, and the metrics do not count the
   * attempt. If the delivery was removed, the attempt is too.
   */
  private recordAttemptOfEnded({ key, attempt: { number, status, error } }: DeliveryResult): void {
    const { changes } = this.sql.updateLastAttempt.run({ ...key, number, status, error });
    if (changes === 0) this.sql.deleteAttempt.run({ ...key, number });
    else this.sql.eraseExcerpt.run({ ...key, number });
  }
}
