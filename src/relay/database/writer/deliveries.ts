import type { DeliveryKey } from '../../ground/ids';
import type { RepeatDelivery, SettleRow } from '../journal/group';
import type { Concluded, ConcludeDraft, Promoted, ScheduleDraft } from '../journal';
import type { SqliteDeadLetters } from './dead-letters';
import type { Statements } from './statements';
import type { SqliteTraffic } from './traffic';

interface OpenRow extends Concluded {
  lane: string | null;
}

/** Deliveries and their lanes, from planned to settled: the part of a transaction that the writer delegates. */
export class SqliteDeliveries {
  private cameForward: Promoted[] = [];
  /** The due time of what is due at once in this transaction, so that the earliest goes first. */
  private dueAt = 0;

  constructor(
    private readonly sql: Statements,
    private readonly traffic: SqliteTraffic,
    private readonly deadLetters: SqliteDeadLetters,
  ) {}

  /** What became the head of its lane since the transaction began. */
  get promoted(): Promoted[] {
    return this.cameForward;
  }

  /** @param dueAt see {@link Group.dueAt} */
  beginTransaction(dueAt: number): void {
    this.cameForward = [];
    this.dueAt = dueAt;
  }

  /** For an event that was just stored: due at once, unless its lane is occupied. */
  add(seq: number, target: number, lane: string | null, receivedAt: number): void {
    if (lane === null) this.sql.insertDelivery.run(seq, target, receivedAt, this.dueAt);
    else this.addToLane(seq, target, lane, receivedAt);
  }

  /** A delivery of a duplicate: in the lane only if the first delivery is still unfinished there, since its turn has passed otherwise. */
  addDuplicate(seq: number, target: number, lane: string | null, at: number): RepeatDelivery {
    const taken = lane !== null && this.sql.openInLane.get(seq, target, lane) !== undefined ? lane : null;
    const key = this.schedule({ seq, target, trigger: 'live', replayId: null, at, lane: taken });
    return { key, lane: taken };
  }

  schedule(draft: ScheduleDraft): DeliveryKey {
    const { seq, target, trigger, replayId, at, editedBody, lane = null } = draft;
    const ofClass = draft.class ?? (trigger === 'replay' ? 2 : 0);
    const last = this.sql.lastDelivery.get(seq, target) as { n: number; state: string } | undefined;
    if (last?.state === 'dead') this.deadLetters.superseded(target);
    const n = (last?.n ?? 0) + 1;
    const waits = lane !== null && this.isLaneTaken(target, lane);
    const [state, dueAt] = waits ? ['waiting', null] : ['pending', this.dueAt];
    this.sql.scheduleDelivery.run(seq, target, n, state, trigger, replayId, at, dueAt, lane, ofClass);
    this.sql.indexTarget.run(target, seq);
    if (typeof editedBody === 'number') this.sql.repeatEditedBody.run(n, seq, target, editedBody);
    else if (editedBody !== undefined) this.sql.insertEditedBody.run(seq, target, n, editedBody);
    return { seq, target, n };
  }

  /** @returns whether the attempt's result took effect: false if its delivery was concluded in the meantime */
  settle(row: SettleRow): boolean {
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
      if (lane !== null && through) this.promote(target, lane);
      if (state === 'dead') this.deadLetters.died({ seq, target, n });
      this.traffic.note(row);
    }
    return changes > 0;
  }

  /** @returns null if it stays as it is */
  conclude(draft: ConcludeDraft): Concluded | null {
    const { seq, target, n } = draft.key;
    const { note, at, dead } = draft;
    const before = this.sql.concludable.get(seq, target, n) as OpenRow | undefined;
    if (before === undefined) return null;
    const { lane, ...concluded } = before;
    if (dead !== undefined) return this.makeDead(draft.key, before, { note, at, ...dead }) ? concluded : null;
    this.sql.concludeDelivery.run(at, note, seq, target, n);
    if (before.was === 'dead') this.deadLetters.discarded({ seq, target, n });
    if (lane !== null) this.promote(target, lane);
    return concluded;
  }

  /** Makes the next delivery in a lane due if the lane has no head. */
  promote(target: number, lane: string): void {
    this.cameForward.push(...(this.sql.promoteFirst.all(this.dueAt, target, lane) as Promoted[]));
  }

  /** Turns an unfinished delivery into a dead letter. @returns whether it did */
  private makeDead(
    { seq, target, n }: DeliveryKey,
    { was, lane }: OpenRow,
    { note, at, ending, stopsLane }: Pick<ConcludeDraft, 'note' | 'at'> & NonNullable<ConcludeDraft['dead']>,
  ): boolean {
    if (was === 'dead') return false;
    const stops = stopsLane && lane !== null;
    // Behind a delivery that stopped the lane it cannot stop it again; behind any other its turn has not come.
    if (stops && was === 'waiting' && !this.isStopped(target, lane)) return false;
    const settledAt = stops && was !== 'waiting' ? null : at;
    this.sql.endDelivery.run(settledAt, note, ending, seq, target, n);
    this.deadLetters.died({ seq, target, n });
    this.traffic.noteEnd(target, at);
    if (lane !== null && settledAt !== null) this.promote(target, lane);
    return true;
  }

  private isStopped(target: number, lane: string): boolean {
    const first = this.sql.firstInLaneState.get(target, lane) as { state: string } | undefined;
    return first?.state === 'dead';
  }

  private addToLane(seq: number, target: number, lane: string, receivedAt: number): void {
    const waits = this.isLaneTaken(target, lane);
    const dueAt = waits ? null : this.dueAt;
    this.sql.insertLaneDelivery.run(seq, target, waits ? 'waiting' : 'pending', receivedAt, dueAt, lane);
  }

  private isLaneTaken(target: number, lane: string): boolean {
    return this.sql.firstInLane.get(target, lane) !== undefined;
  }

  /** Its delivery was concluded during the attempt, or even removed: then the attempt is not kept. */
  private settleConcluded([seq, target, n, , , number, , , status, error]: SettleRow): void {
    const { changes } = this.sql.countAttempt.run(number, status, error, seq, target, n);
    if (changes === 0) this.sql.removeAttempt.run(seq, target, n, number);
  }

  private settleFailed(row: SettleRow, settledAt: number | null): number {
    const [seq, target, n, , , number, , , status, error, , state, dueAt, spared, note, ending] = row;
    const leastClass = state === 'retrying' ? 1 : 0;
    return this.sql.failDelivery.run(
      state,
      number,
      dueAt,
      settledAt,
      ending === null ? status : null,
      ending ?? error,
      leastClass,
      spared,
      note,
      seq,
      target,
      n,
    ).changes;
  }
}
