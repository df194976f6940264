import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 2;
const LAST_PAUSE_MS = 25;

/**
 * Resolves as soon as the condition holds; fails after so much real time, saying what was waited for. What takes long is
 * asked for ever less often: asking too has its price.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const start = performance.now();
  for (;;) {
    if (await holds()) return;
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`Waited ${withinMs} ms in vain for: ${what}`);
    await pause(Math.min(FIRST_PAUSE_MS + waited / 8, LAST_PAUSE_MS));
  }
}
