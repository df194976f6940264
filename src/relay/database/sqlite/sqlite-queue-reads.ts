import type { DeliveryKey } from '../../ground/ids';
import type {
  DeliverableEvent,
  DeliveryClass,
  DeliveryResult,
  DueDelivery,
  QueuedDelivery,
} from '../journal/journal';
import {
  countQueuedSql,
  queuedCounts,
  type QueuedCountRow,
  type QueuedCounts,
} from '../journal/count-queued';
import { LIMIT, openReading, type Connection, type SqliteStatement } from './sqlite-driver';

type SuccessorRow = Omit<QueuedDelivery, 'key' | 'lane' | 'event'> & { seq: number; n: number };

const COLUMNS = `event_seq AS seq, n, class, attempts, uncounted, created_at AS createdAt, "trigger", replay_id AS replayId`;

/** Larger bodies are only read when they are sent: a block of them would take too much memory. */
const MAX_BODY_BYTES = 4_096;

/** A due delivery with its event, as an array: reading an object with as many properties takes twice the time. */
type DueRow = [
  seq: number,
  n: number,
  lane: string | null,
  attempts: number,
  uncounted: number,
  createdAt: number,
  trigger: DueDelivery['trigger'],
  replayId: string | null,
  dueAt: number,
  type: string,
  entity: string | null,
  receivedAt: number,
  contentType: string | null,
  signatureHeader: string,
  signatureValue: string,
  body: Uint8Array | null,
];

const dueWhere = (condition: string) =>
  `SELECT event_seq, n, lane, attempts, uncounted, created_at, "trigger", replay_id, due_at,
     type, entity, received_at, content_type, signature_header, signature_value,
     CASE WHEN length(body) <= ${MAX_BODY_BYTES} THEN body END
   FROM deliveries LEFT JOIN events ON seq = event_seq
   WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND ${condition} ORDER BY due_at, event_seq, n ${LIMIT}`;

const AFTER = '(due_at, event_seq, n) > (?, ?, ?)';

/** Where a block of due deliveries begins. */
export const positionOf = (after: DueDelivery | null): [dueAt: number, seq: number, n: number] =>
  after === null ? [-1, 0, 0] : [after.dueAt, after.key.seq, after.key.n];

/** The reads of the delivery queue, by index and by key. After it is closed, they find nothing. */
export class SqliteQueueReads {
  private readonly connection: Connection;
  private readonly due: SqliteStatement<DueRow>;
  private readonly dueSeqs: SqliteStatement;
  private readonly tooFarAhead: SqliteStatement<DueRow>;
  private readonly event: SqliteStatement<DeliverableEvent>;
  private readonly edited: SqliteStatement<{ body: Uint8Array }>;
  private readonly firstTwoInLane: SqliteStatement;
  private readonly nextSeq: SqliteStatement<{ seq: number }>;
  private readonly behindInLane: SqliteStatement<SuccessorRow>;

  constructor(file: string) {
    this.connection = openReading(file);
    this.due = this.connection.prepare<unknown[], DueRow>(dueWhere(`due_at <= ? AND ${AFTER}`)).raw();
    this.dueSeqs = this.connection
      .prepare(
        `SELECT event_seq FROM deliveries
         WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND due_at <= ? AND ${AFTER}
         ORDER BY due_at, event_seq, n ${LIMIT}`,
      )
      .pluck();
    this.tooFarAhead = this.connection.prepare<unknown[], DueRow>(dueWhere('due_at > ?')).raw();
    this.event = this.connection.prepare<unknown[], DeliverableEvent>(
      `SELECT seq, type, entity, received_at AS receivedAt, content_type AS contentType, signature_header AS signatureHeader,
         signature_value AS signatureValue, body FROM events WHERE seq = ?`,
    );
    this.edited = this.connection.prepare<unknown[], { body: Uint8Array }>(
      'SELECT body FROM edited_bodies WHERE event_seq = ? AND target_id = ? AND n = ?',
    );
    this.firstTwoInLane = this.connection.prepare(
      `SELECT 1 FROM deliveries INDEXED BY deliveries_lane
       WHERE target_id = ? AND lane = ? AND finished_at IS NULL LIMIT 2`,
    );
    this.nextSeq = this.connection.prepare<unknown[], { seq: number }>(
      `SELECT event_seq AS seq FROM deliveries INDEXED BY deliveries_lane
       WHERE target_id = ? AND lane = ? AND finished_at IS NULL AND (event_seq, n) > (?, ?)
       ORDER BY event_seq, n LIMIT 1`,
    );
    this.behindInLane = this.connection.prepare<unknown[], SuccessorRow>(
      `SELECT ${COLUMNS} FROM deliveries INDEXED BY deliveries_lane
       WHERE target_id = ? AND lane = ? AND finished_at IS NULL AND (event_seq, n) > (?, ?)
       ORDER BY event_seq, n LIMIT 1`,
    );
  }

  /** The events of the due deliveries, read from the index alone. */
  dueEvents(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    after: DueDelivery | null,
  ): number[] {
    if (!this.connection.open) return [];
    return this.dueSeqs.all(target, ofClass, now, ...positionOf(after), limit) as number[];
  }

  takeDue(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    beyond = Infinity,
    after: DueDelivery | null = null,
  ): DueDelivery[] {
    if (!this.connection.open) return [];
    const rows = this.due.all(target, ofClass, now, ...positionOf(after), limit);
    if (rows.length < limit && beyond < Infinity)
      rows.push(...this.tooFarAhead.all(target, ofClass, beyond, limit - rows.length));
    return rows.map((row) => ({
      key: { seq: row[0], target, n: row[1] },
      class: ofClass,
      lane: row[2],
      attempts: row[3],
      uncounted: row[4],
      createdAt: row[5],
      trigger: row[6],
      replayId: row[7],
      dueAt: row[8],
      event: eventOf(row),
    }));
  }

  /** The event of the next delivery in its lane, read from the index alone. */
  nextInLane({ key, lane }: QueuedDelivery): number | null {
    if (lane === null || !this.connection.open) return null;
    return this.nextSeq.get(key.target, lane, key.seq, key.n)?.seq ?? null;
  }

  readSuccessor({ key, lane }: QueuedDelivery): QueuedDelivery | null {
    if (!this.connection.open) return null;
    const row = lane === null ? undefined : this.behindInLane.get(key.target, lane, key.seq, key.n);
    if (row === undefined) return null;
    const { seq, n, ...successor } = row;
    const event = this.readEvent(seq);
    return event && { ...successor, key: { seq, target: key.target, n }, lane, event };
  }

  readEvent(seq: number): DeliverableEvent | null {
    return (this.connection.open && this.event.get(seq)) || null;
  }

  readEditedBody({ seq, target, n }: DeliveryKey): Uint8Array | null {
    return this.edited.get(seq, target, n)?.body ?? null;
  }

  countQueued(): QueuedCounts {
    return queuedCounts(this.connection.prepare<[], QueuedCountRow>(countQueuedSql()).all());
  }

  /** Whether another delivery in the lane waits until this result is on disk. */
  hasSuccessor({ key, lane, state, blocksLane }: DeliveryResult): boolean {
    if (lane === null || state === 'retrying' || blocksLane) return false;
    return this.firstTwoInLane.all(key.target, lane).length === 2;
  }

  close(): void {
    this.connection.close();
  }
}

/** The event of a due delivery; undefined if its body is too large to be read with it. */
function eventOf(row: DueRow): DeliverableEvent | undefined {
  const body = row[15];
  if (body === null) return undefined;
  return {
    seq: row[0],
    type: row[9],
    entity: row[10],
    receivedAt: row[11],
    contentType: row[12],
    signatureHeader: row[13],
    signatureValue: row[14],
    body,
  };
}
