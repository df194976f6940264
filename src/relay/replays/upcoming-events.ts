import type { Reader } from '../database/reader';
import { AdaptiveStep } from '../database/adaptive-step';
import { matchingContent, within } from '../events/search/matching-content';
import { filterText } from '../filters/compile-filter';
import { narrowEvents, originalDeliveries } from './narrow-events';
import type { ReplayRow } from './replay-row';

/** How many a read brings; and of those whose content is to be seen no more than so many bytes. */
const READ_EVENTS = 500;
const READ_BYTES = 4 * 1024 * 1024;

/** Events by `seq` that one read looks at. */
const WINDOW_SEQS = { first: 2_000, least: 50, most: 50_000 };

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
  size: number;
}

/** What a replay sends next, read ahead a bounded piece at a time, in the order of `seq`. */
export class UpcomingEvents {
  private found: UpcomingEvent[] = [];
  /** What matches up to here was found. */
  private through: number;
  private readonly step = new AdaptiveStep(WINDOW_SEQS.first, WINDOW_SEQS.least, WINDOW_SEQS.most);
  /** As JSON. */
  private readonly payload: string | null;

  constructor(
    private readonly plan: Pick<ReplayRow, 'filter' | 'target_ids'>,
    position: number,
    private readonly reader: Reader,
  ) {
    this.through = position;
    const { payload } = plan.filter;
    this.payload = payload === undefined ? null : filterText(payload);
  }

  /** Makes sure that there is something next up to `end`, unless there is nothing more or it takes too long to find. */
  async look(end: number): Promise<void> {
    const deadline = performance.now() + LOOK_MS;
    while (this.found.length === 0 && this.through < end && performance.now() < deadline)
      await this.read(end);
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

  private async read(end: number): Promise<void> {
    const { filter, target_ids: named } = this.plan;
    const window = { after: this.through, through: Math.min(this.through + this.step.size, end) };
    const events = narrowEvents(filter, named !== null, window);
    const originals = originalDeliveries(filter, false);
    const read = await this.step.run(() =>
      this.reader.all<Row>([
        `SELECT e.seq AS seq, e.entity AS entity, e.received_at AS "receivedAt", length(e.body) AS size,
         (SELECT json_group_array(d.target_id) FROM deliveries d WHERE ${originals.sql}) AS originals
       FROM events e WHERE ${events.sql} ORDER BY e.seq LIMIT ?`,
        [...originals.parameters, ...events.parameters, READ_EVENTS],
      ]),
    );
    const rows = this.payload === null ? read : within(READ_BYTES, read);
    const isWhole = rows.length === read.length && read.length < READ_EVENTS;
    const matching =
      this.payload === null
        ? null
        : await matchingContent({ heads: rows, filter: this.payload, reader: this.reader });
    this.found = rows
      .filter(({ seq }) => matching === null || matching.has(seq))
      .map(({ seq, entity, receivedAt, originals: numbers }) => ({
        seq,
        entity,
        receivedAt,
        originals: JSON.parse(numbers) as number[],
      }));
    this.through = isWhole ? window.through : rows.at(-1)!.seq;
  }
}
