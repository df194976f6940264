import { setTimeout as pause } from 'node:timers/promises';

/** What one turn of the event loop makes of an export: a fraction of a millisecond. */
const ITEMS_PER_TURN = 16;
/** The thread that commits may wait for the same core. */
const PAUSE_MS = 1;

/** Slices of a list, with pauses between them, so that notifications do not wait until all are made. */
export async function* inTurns<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += ITEMS_PER_TURN) {
    yield items.slice(from, from + ITEMS_PER_TURN);
    await pause(PAUSE_MS);
  }
}
