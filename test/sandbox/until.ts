import { setTimeout as pause } from 'node:timers/promises';

/** Resolves as soon as the condition holds; fails after twenty seconds of real time, saying what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited 20 s in vain for: ${what}`);
    await pause(2);
  }
}
