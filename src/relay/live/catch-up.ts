import type { EventSummary } from '../../contract/event';
import type { LiveGap } from '../../contract/live';
import type { FindEventsQuery } from '../events/search/find-events.query';
import { EVENTS_PER_MESSAGE, gapBetween, type Batch } from './batch';
import { NonOverlapping } from '../ground/non-overlapping';

/**
 * Brings a socket up to date before it joins the room that receives each batch. Missed events are read from the
 * database until they reach the published ones, so every event arrives once and in order.
 */
export class CatchUp {
  private missed: EventSummary[] = [];
  private gap: LiveGap | null = null;
  private readonly reading: NonOverlapping;

  /** @param throughSeq the client has all events up to this `seq` @param onError called when events cannot be read */
  constructor(
    private throughSeq: number,
    private readonly finder: FindEventsQuery,
    onError: (error: unknown) => void,
  ) {
    this.reading = new NonOverlapping(() => this.readMissed(), onError);
  }

  /** Reads the next events; `take` returns them. */
  read(): Promise<void> {
    return this.reading.run();
  }

  /**
   * What to send to the socket now. It has caught up once the batch continues, without a gap, what it has. What was read
   * may be ahead of the batches: a commit can be read before it is published.
   */
  take({ afterSeq: after, throughSeq: batchThrough, gap: batchGap, events }: Batch): {
    gap: LiveGap | null;
    events: EventSummary[];
    isCaughtUp: boolean;
    isAhead: boolean;
  } {
    if (this.reading.isRunning) return { gap: null, events: [], isCaughtUp: false, isAhead: false };
    const { gap, missed, throughSeq: through } = this;
    const isContiguous = batchGap === null && through >= after;
    const isAhead = isContiguous && through > batchThrough;
    this.gap = null;
    this.missed = [];
    return {
      gap,
      events: isContiguous ? [...missed, ...events.filter(({ seq }) => seq > through)] : missed,
      isCaughtUp: isContiguous && !isAhead,
      isAhead,
    };
  }

  private async readMissed(): Promise<void> {
    const missed = await this.finder.after(this.throughSeq, EVENTS_PER_MESSAGE + 1);
    if (missed.length > EVENTS_PER_MESSAGE) {
      const newest = await this.finder.newestSeq();
      this.gap = gapBetween(this.throughSeq, newest);
      this.throughSeq = newest;
    } else {
      this.missed = missed;
      this.throughSeq = missed.at(-1)?.seq ?? this.throughSeq;
    }
  }
}
