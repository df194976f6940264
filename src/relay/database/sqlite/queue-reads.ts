import type { DeliveryKey } from '../../ground/ids';
import type {
  Committed,
  DeliverableEvent,
  DeliveryClass,
  DeliveryResult,
  DueDelivery,
  DueTarget,
  QueuedDelivery,
} from '../journal/journal';
import {
  countQueuedSql,
  queuedCounts,
  type QueuedCountRow,
  type QueuedCounts,
} from '../journal/count-queued';
import { GAPS_BEFORE } from '../journal/gaps-before';
import type { QueueStore } from '../journal/group-store';
import { MAX_QUEUED_BODY_BYTES } from '../journal/deliverable-event';
import { LIMIT, openReading, type Connection } from './sqlite-driver';
import type { Prefetch } from './writer/prefetch';

/** The newest events that are assumed to be in the page cache, if they were written since the start. */
const RECENT_EVENTS = 10_000;

/** The maximum number of prefetched events to remember; beyond it, all are forgotten. */
const MAX_PREFETCHED = 10_000;

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

type SuccessorRow = Omit<QueuedDelivery, 'key' | 'lane' | 'event'> & { seq: number; n: number };

/** Reads rows on another thread, so that they are in the page cache. @returns the events that were read */
type ReadAhead = (what: Prefetch) => Promise<number[]>;

/**
 * The reads of the delivery queue, by index and key, on the main thread: some microseconds each if the pages are in
 * memory. Those of a backlog may not be, and a slow disk would block every response: another thread reads them first.
 */
export class SqliteQueueReads implements QueueStore {
  private readonly connection: Connection;
  private readonly sql: ReturnType<typeof statements>;
  /** The newest event that was stored before this daemon started; null before the first commit. */
  private newestAtStart: number | null = null;
  /** Newer events are assumed to be in the page cache. */
  private recentFrom = Infinity;
  private readonly prefetched = new Set<number>();

  constructor(
    file: string,
    private readonly readAhead: ReadAhead,
  ) {
    this.connection = openReading(file);
    this.sql = statements(this.connection);
  }

  onCommitted({ events }: Committed): void {
    const newest = events.at(-1)?.seq;
    if (newest === undefined) return;
    this.newestAtStart ??= newest - 1;
    this.recentFrom = Math.max(this.newestAtStart, newest - RECENT_EVENTS);
  }

  async takeDue(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    beyond = Infinity,
    after: DueDelivery | null = null,
  ): Promise<DueDelivery[]> {
    if (!this.connection.open) return [];
    const begin =
      after === null ? ([-1, 0, 0] as const) : ([after.dueAt, after.key.seq, after.key.n] as const);
    const seqs = this.sql.dueSeqs.all(target, ofClass, now, ...begin, limit) as number[];
    await this.prefetch(seqs, ['due', target, ofClass, now, ...begin, limit]);
    if (!this.connection.open) return [];
    const rows = this.sql.due.all(target, ofClass, now, ...begin, limit);
    if (rows.length < limit && beyond < Infinity)
      rows.push(...this.sql.tooFarAhead.all(target, ofClass, beyond, limit - rows.length));
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

  /** Returns all: an empty read costs no more than a check. */
  async findDue(targets: readonly DueTarget[]): Promise<readonly number[]> {
    return targets.map(({ target }) => target);
  }

  async readSuccessor({ key, lane }: QueuedDelivery): Promise<QueuedDelivery | null> {
    if (lane === null || !this.connection.open) return null;
    const behind = [key.target, lane, key.seq, key.n] as const;
    const next = this.sql.nextSeq.get(...behind)?.seq;
    if (next === undefined) return null;
    await this.prefetch([next], ['lane', ...behind]);
    const row = this.connection.open ? this.sql.behindInLane.get(...behind) : undefined;
    if (row === undefined) return null;
    const { seq, n, ...successor } = row;
    const event = this.sql.event.get(seq);
    return event === undefined ? null : { ...successor, key: { seq, target: key.target, n }, lane, event };
  }

  async readEvent(seq: number): Promise<DeliverableEvent | null> {
    await this.prefetch([seq], ['event', seq]);
    return (this.connection.open && this.sql.event.get(seq)) || null;
  }

  async readEditedBody({ seq, target, n }: DeliveryKey): Promise<Uint8Array | null> {
    return this.sql.edited.get(seq, target, n)?.body ?? null;
  }

  async readGapsBefore(seq: number, target: number, entity: string): Promise<Uint8Array[]> {
    if (!this.connection.open) return [];
    return this.sql.gapsBefore.all({ seq, target, entity }).map(({ body }) => body);
  }

  async countQueued(): Promise<QueuedCounts> {
    return queuedCounts(this.connection.prepare<[], QueuedCountRow>(countQueuedSql()).all());
  }

  isAwaited({ key, lane, state, blocksLane }: DeliveryResult): boolean {
    if (lane === null || state === 'retrying' || blocksLane) return false;
    return this.sql.firstTwoInLane.all(key.target, lane).length === 2;
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  /** @param seqs the events that are about to be read, according to the index */
  private async prefetch(seqs: readonly number[], what: Prefetch): Promise<void> {
    if (seqs.every((seq) => seq > this.recentFrom || this.prefetched.has(seq))) return;
    const read = await this.readAhead(what);
    if (this.prefetched.size > MAX_PREFETCHED) this.prefetched.clear();
    for (const seq of read) this.prefetched.add(seq);
  }
}

const dueWhere = (condition: string) =>
  `SELECT event_seq, n, lane, attempts, uncounted, created_at, "trigger", replay_id, due_at,
     type, entity, received_at, content_type, signature_header, signature_value,
     CASE WHEN length(body) <= ${MAX_QUEUED_BODY_BYTES} THEN body END
   FROM deliveries LEFT JOIN events ON seq = event_seq
   WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND ${condition} ORDER BY due_at, event_seq, n ${LIMIT}`;

const AFTER = '(due_at, event_seq, n) > (?, ?, ?)';

const behindInLane = (columns: string) =>
  `SELECT ${columns} FROM deliveries INDEXED BY deliveries_lane
   WHERE target_id = ? AND lane = ? AND finished_at IS NULL AND (event_seq, n) > (?, ?) ORDER BY event_seq, n LIMIT 1`;

const statements = (connection: Connection) => ({
  due: connection.prepare<unknown[], DueRow>(dueWhere(`due_at <= ? AND ${AFTER}`)).raw(),
  // From the index alone, as `nextSeq`.
  dueSeqs: connection
    .prepare(
      `SELECT event_seq FROM deliveries
       WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND due_at <= ? AND ${AFTER}
       ORDER BY due_at, event_seq, n ${LIMIT}`,
    )
    .pluck(),
  nextSeq: connection.prepare<unknown[], { seq: number }>(behindInLane('event_seq AS seq')),
  tooFarAhead: connection.prepare<unknown[], DueRow>(dueWhere('due_at > ?')).raw(),
  gapsBefore: connection.prepare<[object], { body: Buffer }>(GAPS_BEFORE),
  event: connection.prepare<unknown[], DeliverableEvent>(
    `SELECT seq, type, entity, received_at AS receivedAt, content_type AS contentType, signature_header AS signatureHeader,
       signature_value AS signatureValue, body FROM events WHERE seq = ?`,
  ),
  edited: connection.prepare<unknown[], { body: Uint8Array }>(
    'SELECT body FROM edited_bodies WHERE event_seq = ? AND target_id = ? AND n = ?',
  ),
  firstTwoInLane: connection.prepare(
    `SELECT 1 FROM deliveries INDEXED BY deliveries_lane
     WHERE target_id = ? AND lane = ? AND finished_at IS NULL LIMIT 2`,
  ),
  behindInLane: connection.prepare<unknown[], SuccessorRow>(
    behindInLane(
      'event_seq AS seq, n, class, attempts, uncounted, created_at AS createdAt, "trigger", replay_id AS replayId',
    ),
  ),
});

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
