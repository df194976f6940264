import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 8;
const LAST_PAUSE_MS = 150;

/**
 * Polls until the condition is true; fails after `withinMs` of real time, naming `what` it waited for. The pauses grow,
 * so that slow conditions cost little.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const start = performance.now();
  for (;;) {
    if (await condition()) return;
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`Waited ${withinMs} ms in vain for: ${what}`);
    await pause(Math.min(FIRST_PAUSE_MS + waited / 2, LAST_PAUSE_MS));
  }
}
