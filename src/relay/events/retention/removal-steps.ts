import { setTimeout as wait } from 'node:timers/promises';
import type { PrunableEvent } from './prunable-events.query';

/** Events removed per step, about 2 ms: a step shares its transaction with notifications waiting for a response. */
const STEP_EVENTS = 25;
/** A step ends beyond this size, since freeing a large body reads it page by page. */
const STEP_BYTES = 2 * 1024 * 1024;

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;

/** Gives other writes their turn after a step: for as long as it took, within bounds. */
export const pauseAfter = (tookMs: number) => wait(Math.min(Math.max(MIN_PAUSE_MS, tookMs), MAX_PAUSE_MS));

/** Splits events into steps of limited count and size. */
export function* stepsOf(events: readonly PrunableEvent[]): Generator<number[]> {
  let seqs: number[] = [];
  let size = 0;
  for (const { seq, bytes } of events) {
    seqs.push(seq);
    size += bytes;
    if (seqs.length < STEP_EVENTS && size < STEP_BYTES) continue;
    yield seqs;
    seqs = [];
    size = 0;
  }
  if (seqs.length > 0) yield seqs;
}
