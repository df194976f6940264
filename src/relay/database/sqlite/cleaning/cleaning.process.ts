import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { PageCleaner } from './page-cleaner';

/** Nothing waits for it. */
const LOWEST_PRIORITY = 19;
/** The pause after a step, as a multiple of its duration: the hub stores what has arrived. */
const PAUSE_FACTOR = 4;
const MIN_PAUSE_MS = 20;
/** Someone else reads or writes for long, such as a backup. */
const BUSY_PAUSE_MS = 1_000;

/** Cleans the file that its argument names. A process of its own: only so may it open the file beside SQLite. */
try {
  setPriority(LOWEST_PRIORITY);
} catch {
  // It runs at normal priority.
}
process.once('disconnect', () => process.exit());
void clean(process.argv[2]!);

async function clean(file: string): Promise<void> {
  const cleaner = new PageCleaner(file);
  for (let last: number | null = Infinity; last !== null;) {
    const startedAt = performance.now();
    const next = cleaner.step(last);
    const tookMs = performance.now() - startedAt;
    await wait(next === last ? BUSY_PAUSE_MS : Math.max(MIN_PAUSE_MS, tookMs * PAUSE_FACTOR));
    last = next;
  }
  cleaner.close();
  process.send!(cleaner.skipped, () => process.exit());
}
