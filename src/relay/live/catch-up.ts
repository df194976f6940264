import type { EventSummary } from '../../contract/event';
import type { LiveGap } from '../../contract/live';
import type { FindEvents } from '../events/search/find-events';
import { EVENTS_PER_MESSAGE, gapBetween, type Batch } from './batch';

/**
 * A socket before it follows the others. What it missed is read from the database, again and again until that reaches
 * what the followers were told: from then on it is told what they are, so that each event comes once and in order.
 */
export class CatchUp {
  private missed: EventSummary[] = [];
  private gap: LiveGap | null = null;
  private reading = false;

  /** @param through the `seq` through which the client knows everything */
  constructor(
    private through: number,
    private readonly finder: FindEvents,
  ) {}

  /** Reads on. What is found is handed out by `take`. */
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

  /** What to tell it now, and whether it follows the others from here on. */
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
