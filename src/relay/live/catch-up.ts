import type { EventSummary } from '../../contract/event';
import type { LiveGap } from '../../contract/live';
import type { FindEvents } from '../events/search/find-events';
import { EVENTS_PER_MESSAGE, gapBetween, type Batch } from './batch';

/**
 * The catch-up of a socket before it joins the subscribers. Missed events are read from the database until they reach what
 * was published; from then on the socket receives each batch, so that every event arrives once and in order.
 */
export class CatchUp {
  private missed: EventSummary[] = [];
  private gap: LiveGap | null = null;
  private reading = false;

  /** @param through the client has all events up to this `seq` */
  constructor(
    private through: number,
    private readonly finder: FindEvents,
  ) {}

  /** Reads the next events; `take` returns them. */
  async read(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      const missed = await this.finder.after(this.through, EVENTS_PER_MESSAGE + 1);
      if (missed.length > EVENTS_PER_MESSAGE) {
        const newest = await this.finder.newestSeq();
        this.gap = gapBetween(this.through, newest);
        this.through = newest;
      } else {
        this.missed = missed;
        this.through = missed.at(-1)?.seq ?? this.through;
      }
    } finally {
      this.reading = false;
    }
  }

  /** What to send to the socket now, and whether it has caught up with the subscribers. */
  take({ after, gap: left, events }: Batch): {
    gap: LiveGap | null;
    events: EventSummary[];
    isCaughtUp: boolean;
  } {
    if (this.reading) return { gap: null, events: [], isCaughtUp: false };
    const { gap, missed, through } = this;
    const follows = left === null && through >= after;
    this.gap = null;
    this.missed = [];
    return {
      gap,
      events: follows ? [...missed, ...events.filter(({ seq }) => seq > through)] : missed,
      isCaughtUp: follows,
    };
  }
}
