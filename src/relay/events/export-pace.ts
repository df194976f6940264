import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Journal } from '../database/journal/journal';

/**
 * The most that is read at once, and what one turn of the event loop makes of it: a fraction of a millisecond. The thread
 * that commits may wait for the same core.
 */
const ALONE = { itemsPerRead: Infinity, itemsPerTurn: 16 };
const BESIDE_EVENTS = { itemsPerRead: 64, itemsPerTurn: 4 };
/** From so many events in the latest second on, exports give way to them. */
const STREAM_EVENTS = 10;
/** The more events, the less is left for exports: at 500 in a second, 4 items each 10 ms, a twentieth of a core. */
const PAUSE_MS_PER_EVENT = 0.02;
const PAUSE_MS = { least: 1, most: 20 };
const SECOND_MS = 1_000;

/** How fast exports are made: notifications must not wait for them. */
@Injectable()
export class ExportPace {
  /** The events of the latest second, at `countedAt`; older ones count less. */
  private events = 0;
  private countedAt = 0;

  constructor(journal: Journal) {
    journal.onCommit(({ events }) => {
      if (events.length === 0) return;
      this.events = this.recentEvents + events.length;
      this.countedAt = performance.now();
    });
  }

  /** Infinity: as many as the read itself allows. */
  get itemsPerRead(): number {
    return this.current.itemsPerRead;
  }

  /** Slices of a list, with pauses between them. */
  async *inTurns<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
    for (let from = 0; from < items.length;) {
      const { itemsPerTurn } = this.current;
      yield items.slice(from, from + itemsPerTurn);
      from += itemsPerTurn;
      const { least, most } = PAUSE_MS;
      await pause(Math.min(most, Math.max(least, this.recentEvents * PAUSE_MS_PER_EVENT)));
    }
  }

  private get current(): typeof ALONE {
    return this.recentEvents < STREAM_EVENTS ? ALONE : BESIDE_EVENTS;
  }

  private get recentEvents(): number {
    return this.events * Math.exp((this.countedAt - performance.now()) / SECOND_MS);
  }
}
