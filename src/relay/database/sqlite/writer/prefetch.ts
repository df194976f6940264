import type { DeliveryClass } from '../../journal/journal';
import { LIMIT, type Connection, type SqliteStatement } from '../sqlite-driver';

/** The rows to prefetch: a block of due deliveries, the next deliveries in a lane, or one event. */
export type Prefetch =
  | [
      'due',
      target: number,
      ofClass: DeliveryClass,
      now: number,
      afterDueAt: number,
      afterSeq: number,
      afterN: number,
      limit: number,
    ]
  | ['lane', target: number, lane: string, seq: number, n: number]
  | ['event', seq: number];

/** The number of deliveries in a lane that are prefetched at a time. */
const LANE_BLOCK = 64;

/** SQL that reads every page of the deliveries and of their events. */
const readAll = (rows: string) => `
  SELECT json_group_array(d.event_seq) AS seqs, total(d.attempts), max(length(e.headers)), length(max(e.body))
  FROM (SELECT event_seq, attempts FROM deliveries ${rows}) d JOIN events e ON e.seq = d.event_seq`;

/** Reads, on a background thread, what the main thread will read next, which then need not wait for the disk. */
export class SqlitePrefetch {
  private readonly statements: Record<Prefetch[0], SqliteStatement<{ seqs: string }>>;

  constructor(connection: Connection) {
    const prepare = (sql: string) => connection.prepare<unknown[], { seqs: string }>(sql);
    this.statements = {
      due: prepare(
        readAll(`WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND due_at <= ?
          AND (due_at, event_seq, n) > (?, ?, ?) ORDER BY due_at, event_seq, n ${LIMIT}`),
      ),
      lane: prepare(
        readAll(`INDEXED BY deliveries_lane
          WHERE target_id = ? AND lane = ? AND finished_at IS NULL AND (event_seq, n) > (?, ?)
          ORDER BY event_seq, n LIMIT ${LANE_BLOCK}`),
      ),
      event: prepare('SELECT json_array(seq) AS seqs, length(max(body)) FROM events WHERE seq = ?'),
    };
  }

  /** @returns the events that were read */
  read([kind, ...parameters]: Prefetch): number[] {
    try {
      return JSON.parse(this.statements[kind].get(...parameters)!.seqs) as number[];
    } catch {
      // The main thread's read reports the failure.
      return [];
    }
  }
}
