import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Journal } from '../database/journal/journal';

/**
 * The most that is read at once, and what one turn of the event loop makes of it: a fraction of a millisecond. The thread
 * that commits may wait for the same core.
 */
const IDLE = { itemsPerRead: Infinity, itemsPerTurn: 16, pauseMs: 1 };
/** While events are being stored, exports get a small share of the main thread, and so of the thread that reads for them. */
const STORING = { itemsPerRead: 64, itemsPerTurn: 4, pauseMs: 4 };
/** Events so close to each other are a stream of them. */
const CLOSE_MS = 100;
/** How long after two close events more are expected: longer than a slow commit, behind which events wait. */
const STORING_FOR_MS = 1_000;

/** How fast exports are made: notifications must not wait for them. */
@Injectable()
export class ExportPace {
  private lastStoredAt = -Infinity;
  private storingUntil = -Infinity;

  constructor(journal: Journal) {
    journal.onCommit(({ events }) => {
      if (events.length === 0) return;
      const now = performance.now();
      if (events.length > 1 || now - this.lastStoredAt < CLOSE_MS) this.storingUntil = now + STORING_FOR_MS;
      this.lastStoredAt = now;
    });
  }

  /** Infinity: as many as the read itself allows. */
  get itemsPerRead(): number {
    return this.current.itemsPerRead;
  }

  /** Slices of a list, with pauses between them. */
  async *inTurns<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
    for (let from = 0; from < items.length;) {
      const { itemsPerTurn, pauseMs } = this.current;
      yield items.slice(from, from + itemsPerTurn);
      from += itemsPerTurn;
      await pause(pauseMs);
    }
  }

  private get current(): typeof IDLE {
    return performance.now() < this.storingUntil ? STORING : IDLE;
  }
}
