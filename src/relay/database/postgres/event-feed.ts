import type { Pool } from 'pg';
import type { Log } from '../../ground/log';
import { PollLoop } from '../../ground/poll-loop';
import type { Committed, EventDraft } from '../journal/journal';
import { inGeneration } from './generation-sql';

type StoredEvent = Committed['events'][number];

interface Row extends Omit<EventDraft, 'headers' | 'identity'> {
  seq: number;
  headers: string;
  /** The targets and lanes of the deliveries that were planned at its arrival, as JSON. */
  planned: string | null;
}

const BLOCK_EVENTS = 200;

/** A poll finds what a lost notice would have announced. */
const POLL_EVERY_MS = 1_000;

const read = (
  generation: number,
) => `SELECT e.seq, e.type, e.entity, e.name, e.occurred_at AS "occurredAt", e.received_at AS "receivedAt",
    e.webhook_id AS "webhookId", e.content_type AS "contentType", e.headers, e.body, e.signature_header AS "signatureHeader",
    e.signature_value AS "signatureValue", e.unreadable, e.version,
    (SELECT json_agg(json_build_object('target', d.target_id, 'lane', d.lane)) FROM deliveries d
     WHERE d.event_seq = e.seq AND d.n = 0 AND d.trigger = 'live')::text AS planned
  FROM events e WHERE e.seq > $1 AND e.seq <= $2 AND ${inGeneration(generation)} ORDER BY e.seq LIMIT ${BLOCK_EVENTS}`;

/** A placeholder: the identity is only needed to append an event. */
const NO_IDENTITY = { minute: 0, hash: '' };

/**
 * Publishes, at the leader, the events of all daemons in the order of their `seq`. This daemon's own come from memory;
 * those of the others are read once they are announced, or by the next poll.
 */
export class EventFeed extends PollLoop {
  /** Everything up to this `seq` was published. */
  private through: number;
  private readonly own: StoredEvent[] = [];

  /** @param after the newest event that was stored before this application started */
  constructor(
    private readonly pool: Pool,
    private readonly generation: number,
    after: number,
    private readonly publish: (events: StoredEvent[]) => void,
    log: Log,
  ) {
    super((error) => log.warn({ err: error }, 'events of other daemons not read'), POLL_EVERY_MS);
    this.through = after;
  }

  /** Adds events that this daemon has stored. */
  add(events: readonly StoredEvent[]): void {
    const isNext = this.own.length === 0 && events[0]?.seq === this.through + 1;
    if (isNext && this.isIdle) return this.publishThrough([...events], events.at(-1)!.seq);
    this.own.push(...events.map((event) => ({ ...event, maybeSent: true as const })));
    this.poll();
  }

  protected async read(): Promise<void> {
    this.publishOwn();
    // Determined before the read, since own events may be added while it runs.
    const next = this.own[0]?.seq;
    const rows = await this.readBlock(next === undefined ? Number.MAX_SAFE_INTEGER : next - 1);
    // No rows: `seq` is the order of commits, so those before the next own event were removed by retention.
    const through = rows.at(-1)?.seq ?? (next === undefined ? this.through : next - 1);
    // There may be another block.
    if (through > this.through) this.poll();
    this.publishThrough(rows, through);
    this.publishOwn();
  }

  private async readBlock(until: number): Promise<StoredEvent[]> {
    const { rows } = await this.pool.query(read(this.generation), [this.through, until]);
    return (rows as Row[]).map(({ seq, headers, planned, ...row }) => ({
      seq,
      draft: { ...row, headers: JSON.parse(headers) as EventDraft['headers'], identity: NO_IDENTITY },
      maybeSent: true,
      planned: planned === null ? [] : (JSON.parse(planned) as StoredEvent['planned']),
    }));
  }

  private publishOwn(): void {
    const first = this.own.findIndex(({ seq }) => seq > this.through);
    this.own.splice(0, first < 0 ? this.own.length : first);
    let count = 0;
    while (this.own[count]?.seq === this.through + 1 + count) count += 1;
    if (count === 0) return;
    const events = this.own.splice(0, count);
    this.publishThrough(events, events.at(-1)!.seq);
  }

  private publishThrough(events: StoredEvent[], through: number): void {
    this.through = through;
    if (events.length > 0) this.publish(events);
  }
}
