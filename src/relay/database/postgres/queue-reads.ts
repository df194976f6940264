import type { Pool } from 'pg';
import { deliveryKeyText, type DeliveryKey } from '../../ground/ids';
import {
  PRIORITY,
  type Committed,
  type DeliverableEvent,
  type DeliveryClass,
  type DeliveryResult,
  type DueDelivery,
  type DueTarget,
  type QueuedDelivery,
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
import { DueFloors, type Polled } from './due-floors';
import { inGeneration } from './generation-sql';
import { COMMIT_POSITIONS, parsePositions, type CommitPositions } from './commit-feed';
import { prepared } from './postgres-client';

/**
 * Rows to read beyond the limit, since some may have changed meanwhile: a short block would look like the last one. What
 * follows a block has not been sent yet.
 */
const MARGIN = 100;

/** The body is null if it is larger than wanted. */
type EventRow = Omit<DeliverableEvent, 'body'> & { body: Uint8Array | null };

type DeliveryRow = EventRow & Omit<DueDelivery, 'key' | 'event'> & { n: number };

const EVENT = `e.seq, e.type, e.entity, e.received_at AS "receivedAt", e.content_type AS "contentType",
  e.signature_header AS "signatureHeader", e.signature_value AS "signatureValue"`;

const DELIVERY = `d.n, d.class, d.lane, d.attempts, d.uncounted, d.created_at AS "createdAt", d."trigger",
  d.replay_id AS "replayId", d.due_at AS "dueAt", ${EVENT}, CASE WHEN length(e.body) <= ${MAX_QUEUED_BODY_BYTES} THEN e.body END AS body`;

const dueWhere = (condition: string) =>
  `SELECT ${DELIVERY} FROM (
     SELECT * FROM deliveries WHERE target_id = $1 AND class = $2 AND due_at IS NOT NULL AND ${condition}
     ORDER BY due_at, event_seq, n LIMIT $4) d
   JOIN events e ON e.seq = d.event_seq ORDER BY d.due_at, d.event_seq, d.n`;

const DUE = dueWhere('due_at BETWEEN $5 AND $3');
const DUE_AFTER = dueWhere('due_at <= $3 AND (due_at, event_seq, n) > ($5, $6, $7)');
const TOO_FAR_AHEAD = dueWhere('due_at > $3');

const firstDue = (condition: string) =>
  `(SELECT due_at FROM deliveries WHERE target_id = t.target AND class = t.class AND due_at ${condition} ORDER BY due_at LIMIT 1)`;

/** From two places of the index of each class: for `EXISTS`, the planner may read the whole table. */
export const FIND_DUE = `SELECT target, class, ${firstDue('>= floor')} AS first, ${firstDue('> beyond')} IS NOT NULL AS "isTooFar"
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS t(target, beyond, class, floor)`;

const BEHIND_IN_LANE = `SELECT ${DELIVERY} FROM deliveries d JOIN events e ON e.seq = d.event_seq
  WHERE d.target_id = $1 AND d.lane = $2 AND d.finished_at IS NULL AND (d.event_seq, d.n) > ($3, $4)
  ORDER BY d.event_seq, d.n LIMIT 1`;

/** In one statement: what it does not see is published after these positions. */
const COUNT_QUEUED = countQueuedSql([`${COMMIT_POSITIONS} AS positions`]);

const EVENT_BY_SEQ = `SELECT ${EVENT}, e.body FROM events e WHERE e.seq = $1`;

/** The reads of the delivery queue, with the events: a round trip each. */
export class PostgresQueueReads implements QueueStore {
  private readonly floors = new DueFloors();
  /** For each read of due deliveries in progress, the deliveries that have changed since it began. */
  private readonly changed = new Set<Set<string>>();
  private closed = false;

  /** @param generation of the server: rows of a later one must not be combined with what is in memory */
  constructor(
    private readonly pool: Pool,
    private readonly generation: number,
  ) {}

  onCommitted({ results, ended }: Committed): void {
    for (const changed of this.changed)
      for (const { key } of [...results, ...ended]) changed.add(deliveryKeyText(key));
  }

  async takeDue(
    target: number,
    ofClass: DeliveryClass,
    now: number,
    limit: number,
    beyond = Infinity,
    after: DueDelivery | null = null,
  ): Promise<DueDelivery[]> {
    // What is sent meanwhile is no longer in flight when the rows arrive, but still due in them.
    const changed = new Set<string>();
    this.changed.add(changed);
    try {
      const queue = [target, ofClass, now];
      const rows =
        after === null
          ? await this.rows<DeliveryRow>(DUE, [...queue, limit + MARGIN, this.floors.of(target, ofClass)])
          : await this.rows<DeliveryRow>(DUE_AFTER, [
              ...queue,
              limit,
              after.dueAt,
              after.key.seq,
              after.key.n,
            ]);
      if (rows.length < limit && beyond < Infinity && now < Infinity) {
        const rest = [target, ofClass, beyond, limit - rows.length];
        rows.push(...(await this.rows<DeliveryRow>(TOO_FAR_AHEAD, rest)));
      }
      const due = rows.map((row) => deliveryOf(row, target));
      return due.filter(({ key }) => !changed.has(deliveryKeyText(key))).slice(0, limit);
    } finally {
      this.changed.delete(changed);
    }
  }

  async findDue(targets: readonly DueTarget[], now: number): Promise<readonly number[]> {
    if (targets.length === 0) return [];
    const readsAll = this.floors.mustReadAll(now);
    const classes = Object.values(PRIORITY);
    const each = targets.flatMap((target) => classes.map((ofClass) => ({ ...target, ofClass })));
    const rows = await this.rows<Polled & { isTooFar: 0 | 1 }>(FIND_DUE, [
      each.map(({ target }) => target),
      each.map(({ beyond }) => beyond),
      each.map(({ ofClass }) => ofClass),
      each.map(({ target, ofClass }) => (readsAll ? -Infinity : this.floors.of(target, ofClass))),
    ]);
    this.floors.polled(rows, now, readsAll);
    // First attempts are due regardless of their due time.
    const isDue = (row: (typeof rows)[number]) =>
      row.isTooFar === 1 || (row.first !== null && (row.class === PRIORITY.live || row.first <= now));
    return [...new Set(rows.filter(isDue).map(({ target }) => target))];
  }

  async readSuccessor({ key, lane }: QueuedDelivery): Promise<QueuedDelivery | null> {
    if (lane === null) return null;
    const [row] = await this.rows<DeliveryRow>(BEHIND_IN_LANE, [key.target, lane, key.seq, key.n]);
    if (row === undefined) return null;
    const { dueAt: _, ...successor } = deliveryOf(row, key.target);
    const event = successor.event ?? (await this.readEvent(row.seq));
    return event && { ...successor, event };
  }

  async readEvent(seq: number): Promise<DeliverableEvent | null> {
    const [row] = await this.rows<DeliverableEvent>(EVENT_BY_SEQ, [seq]);
    return row ?? null;
  }

  async readEditedBody({ seq, target, n }: DeliveryKey): Promise<Uint8Array | null> {
    const [row] = await this.rows<{ body: Uint8Array }>(
      'SELECT body FROM edited_bodies WHERE event_seq = $1 AND target_id = $2 AND n = $3',
      [seq, target, n],
    );
    return row?.body ?? null;
  }

  async readGapsBefore(seq: number, target: number, entity: string): Promise<Uint8Array[]> {
    const rows = await this.rows<{ body: Uint8Array }>(GAPS_BEFORE, [{ seq, target, entity }]);
    return rows.map(({ body }) => body);
  }

  async countQueued(): Promise<QueuedCounts & { positions: CommitPositions }> {
    const rows = await this.rows<QueuedCountRow & { positions: string }>(COUNT_QUEUED, []);
    return { ...queuedCounts(rows), positions: parsePositions(rows[0]?.positions ?? '{}') };
  }

  /** Assumed for every result that leaves its lane: to look would cost as much as to write it. */
  isAwaited({ lane, state, blocksLane }: DeliveryResult): boolean {
    return lane !== null && state !== 'retrying' && !blocksLane;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.pool.end();
  }

  private async rows<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    if (this.closed) return [];
    const ofGeneration = `SELECT * FROM (${sql}) found WHERE ${inGeneration(this.generation)}`;
    return (await this.pool.query(prepared(ofGeneration, parameters))).rows as Row[];
  }
}

function deliveryOf(row: DeliveryRow, target: number): DueDelivery {
  const { seq, type, entity, receivedAt, contentType, signatureHeader, signatureValue, body } = row;
  const { n, class: ofClass, lane, attempts, uncounted, createdAt, trigger, replayId, dueAt } = row;
  const due = { class: ofClass, lane, attempts, uncounted, createdAt, trigger, replayId, dueAt };
  const key = { seq, target, n };
  if (body === null) return { ...due, key };
  const event = { seq, type, entity, receivedAt, contentType, signatureHeader, signatureValue, body };
  return { ...due, key, event };
}
