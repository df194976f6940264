import { AdaptiveStep } from '../database/reading/adaptive-step';
import { toJsonList } from '../database/reading/dialect';
import type { Reader } from '../database/reading/reader';
import { matchBodies, takeBytes } from '../events/search/match-bodies';
import { bodyConditions } from '../filters/body-conditions';
import { eventsInReplay, originalDeliveries } from './replay-conditions';
import type { ReplayRow } from './replay-row';

/** Events per read, and bytes of bodies if they must be read. */
const EVENTS_PER_READ = 500;
const BYTES_PER_READ = 4 * 1024 * 1024;

/** `seq`s scanned per read. */
const WINDOW_SEQS = { first: 2_000, least: 50, most: 50_000 };

/** Rare matches take long to find; a step does not search longer than this. */
const MAX_FILL_MS = 200;

/** An event that is part of a replay. */
export interface UpcomingEvent {
  seq: number;
  entity: string | null;
  receivedAt: number;
  /** The numbers of the targets of its original deliveries. */
  originals: number[];
}

interface Row extends Omit<UpcomingEvent, 'originals'> {
  originals: string;
  size: number;
}

/** The next events of a replay in `seq` order, read ahead in bounded pieces. */
export class UpcomingEvents {
  private buffer: UpcomingEvent[] = [];
  /** Everything up to here was read. */
  private readThrough: number;
  private readonly step = new AdaptiveStep(WINDOW_SEQS.first, WINDOW_SEQS.least, WINDOW_SEQS.most);
  /** As `bodyConditions` returns them. */
  private readonly conditions: string | null;

  constructor(
    private readonly replay: Pick<ReplayRow, 'id' | 'filter' | 'target_ids'>,
    position: number,
    private readonly reader: Reader,
  ) {
    this.readThrough = position;
    this.conditions = bodyConditions(replay.filter);
  }

  /** Reads ahead up to `end` until there is a next event, or for a limited time. */
  async fill(end: number): Promise<void> {
    const deadline = performance.now() + MAX_FILL_MS;
    while (this.buffer.length === 0 && this.readThrough < end && performance.now() < deadline)
      await this.read(end);
  }

  get next(): readonly UpcomingEvent[] {
    return this.buffer;
  }

  /** The position after the first `count` events; it skips no matching event. */
  positionAfter(count: number): number {
    return count === this.buffer.length ? this.readThrough : this.buffer[count - 1]!.seq;
  }

  drop(count: number): void {
    this.buffer = this.buffer.slice(count);
  }

  private async read(end: number): Promise<void> {
    const { id, filter, target_ids: named } = this.replay;
    const window = { after: this.readThrough, through: Math.min(this.readThrough + this.step.size, end) };
    const events = eventsInReplay(filter, named === null ? 'enabled' : 'named', window, id);
    const originals = originalDeliveries(filter, 'enabled', id);
    const read = await this.step.run(() =>
      this.reader.all<Row>([
        `SELECT e.seq AS seq, e.entity AS entity, e.received_at AS "receivedAt", length(e.body) AS size,
         (SELECT ${toJsonList('d.target_id')} FROM deliveries d WHERE ${originals.sql}) AS originals
       FROM events e WHERE ${events.sql} ORDER BY e.seq LIMIT ?`,
        [...originals.parameters, ...events.parameters, EVENTS_PER_READ],
      ]),
    );
    const rows = this.conditions === null ? read : takeBytes(BYTES_PER_READ, read);
    const isWindowComplete = rows.length === read.length && read.length < EVENTS_PER_READ;
    const matching =
      this.conditions === null
        ? null
        : await matchBodies({ heads: rows, conditions: this.conditions, reader: this.reader });
    this.buffer = rows
      .filter(({ seq }) => matching === null || matching.has(seq))
      .map(({ seq, entity, receivedAt, originals: numbers }) => ({
        seq,
        entity,
        receivedAt,
        originals: JSON.parse(numbers) as number[],
      }));
    this.readThrough = isWindowComplete ? window.through : rows.at(-1)!.seq;
  }
}
