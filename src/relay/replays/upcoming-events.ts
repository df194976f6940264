import type { Reader } from '../database/reader';
import { narrowEvents, originalDeliveries } from './narrow-events';
import type { ReplayRow } from './replay-row';

/** Events by `seq` that one read looks at, and how many of them it brings. */
const WINDOW_SEQS = 2_000;
const READ_EVENTS = 500;

/** For so long one turn looks for events that match: where they are rare there is much to pass by. */
const LOOK_MS = 200;

/** An event that is part of a replay. */
export interface UpcomingEvent {
  seq: number;
  entity: string | null;
  receivedAt: number;
  /** The numbers of the targets that it went to live. */
  originals: number[];
}

interface Row extends Omit<UpcomingEvent, 'originals'> {
  originals: string;
}

/** What a replay sends next, read ahead a bounded piece at a time, in the order of `seq`. */
export class UpcomingEvents {
  private found: UpcomingEvent[] = [];
  /** What matches up to here was found. */
  private through: number;

  constructor(
    private readonly plan: Pick<ReplayRow, 'filter' | 'target_ids' | 'until_seq'>,
    position: number,
    private readonly reader: Reader,
  ) {
    this.through = position;
  }

  /** Makes sure that there is something next, unless there is nothing more or it takes too long to find. */
  async look(): Promise<void> {
    const deadline = performance.now() + LOOK_MS;
    while (this.found.length === 0 && this.through < this.plan.until_seq && performance.now() < deadline)
      await this.read();
  }

  get next(): readonly UpcomingEvent[] {
    return this.found;
  }

  /** The position once the first so many are dealt with: nothing that matches is skipped by it. */
  positionAfter(count: number): number {
    return count === this.found.length ? this.through : this.found[count - 1]!.seq;
  }

  drop(count: number): void {
    this.found = this.found.slice(count);
  }

  private async read(): Promise<void> {
    const { filter, target_ids: named, until_seq: untilSeq } = this.plan;
    const window = { after: this.through, through: Math.min(this.through + WINDOW_SEQS, untilSeq) };
    const events = narrowEvents(filter, named !== null, window);
    const originals = originalDeliveries(filter, false);
    const rows = await this.reader.all<Row>([
      `SELECT e.seq AS seq, e.entity AS entity, e.received_at AS "receivedAt",
         (SELECT json_group_array(d.target_id) FROM deliveries d WHERE ${originals.sql}) AS originals
       FROM events e WHERE ${events.sql} ORDER BY e.seq LIMIT ?`,
      [...originals.parameters, ...events.parameters, READ_EVENTS],
    ]);
    this.found = rows.map((row) => ({ ...row, originals: JSON.parse(row.originals) as number[] }));
    this.through = rows.length === READ_EVENTS ? rows.at(-1)!.seq : window.through;
  }
}
