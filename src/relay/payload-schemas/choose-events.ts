import { inJsonList } from '../database/reading/dialect';

/** Runs a query. */
export type Read = <Row>(sql: string, parameters: unknown[]) => Promise<Row[]>;

/** What one step examines at most. */
const STEP = { heads: 1_000, bodies: 200, bytes: 512 * 1024 };
const MAX_BODY_BYTES = 256 * 1024;

/** This far behind, every second event is examined, twice as far every third, so that it falls no further behind. */
const MOST_BEHIND = 20_000;

/** SQL: system events, which are not signed, and what cannot be parsed have no schema. */
const COUNTS = `unreadable IS NULL AND signature_header <> ''`;
/** SQL: whether there is an event to examine after this one. */
export const HAS_NEW = `SELECT 1 AS one FROM events WHERE seq > ? AND ${COUNTS} LIMIT 1`;
const NEWEST = 'SELECT max(seq) AS seq FROM events';
const HEADS = `SELECT seq, type, length(body) AS size, CASE WHEN ${COUNTS} THEN 1 ELSE 0 END AS counts
  FROM events WHERE seq > ? ORDER BY seq LIMIT ?`;
const BODIES = `SELECT seq, type, received_at AS at, body FROM events
  WHERE seq ${inJsonList()} AND ${COUNTS} ORDER BY seq`;

interface Head {
  seq: number;
  type: string;
  size: number;
  counts: 0 | 1;
}

interface StoredBody {
  seq: number;
  type: string;
  at: number;
  body: Uint8Array;
}

/** The events of a step. */
export interface ChosenEvents {
  /** How many are stored, by type, chosen or not. */
  events: Map<string, number>;
  /** Those to examine, in order. */
  bodies: StoredBody[];
  /** The last one. */
  through: number;
  isLast: boolean;
}

/** Chooses events to examine: all of them, or evenly spread ones if they are many. */
export class EventChoice {
  /** How many of each type there were. */
  private readonly counts = new Map<string, number>();

  constructor(private readonly read: Read) {}

  /** @returns null if there is none after that one */
  async next(after: number): Promise<ChosenEvents | null> {
    const [newest] = await this.read<{ seq: number | null }>(NEWEST, []);
    const stride = Math.max(1, Math.ceil(((newest?.seq ?? 0) - after) / MOST_BEHIND));
    const limit = Math.min(STEP.heads, STEP.bodies * stride);
    const heads = await this.read<Head>(HEADS, [after, limit]);
    if (heads.length === 0) return null;
    const { seqs, events, through } = this.choose(heads, stride);
    const bodies = seqs.length === 0 ? [] : await this.read<StoredBody>(BODIES, [JSON.stringify(seqs)]);
    return { events, bodies, through, isLast: heads.length < limit && through === heads.at(-1)!.seq };
  }

  /** Of each type, every n-th; no more than a step may have. */
  private choose(heads: readonly Head[], stride: number) {
    const seqs: number[] = [];
    const events = new Map<string, number>();
    let bytes = 0;
    let through = 0;
    for (const { seq, type, size, counts } of heads) {
      if (seqs.length >= STEP.bodies || bytes >= STEP.bytes) break;
      through = seq;
      if (counts === 0) continue;
      const before = this.counts.get(type) ?? 0;
      this.counts.set(type, before + 1);
      events.set(type, (events.get(type) ?? 0) + 1);
      if (before % stride !== 0 || size > MAX_BODY_BYTES) continue;
      seqs.push(seq);
      bytes += size;
    }
    return { seqs, events, through };
  }
}
