import { setTimeout as pause } from 'node:timers/promises';

/** Resolves as soon as the condition holds; fails after so much real time, saying what was waited for. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 8_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for: ${what}`);
    await pause(5);
  }
}
