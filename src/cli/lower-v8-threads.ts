import { readdirSync } from 'node:fs';
import { lowerThreadPriority } from '../relay/ground/lower-thread-priority';

/** Of a busy core they then get a tenth of the usual share. */
const PRIORITY_STEPS = 10;

/**
 * Lets V8's own threads, which collect garbage and optimize code, give way to those that acknowledge: on a busy core, an
 * acknowledgement would wait for them for up to 100 ms. To be called before any other thread is started.
 */
export function lowerV8Threads(): void {
  for (const thread of otherThreads()) lowerThreadPriority(PRIORITY_STEPS, thread);
}

/** None where they cannot be listed, or only as another PID namespace numbers them. */
function otherThreads(): number[] {
  try {
    const threads = readdirSync('/proc/self/task').map(Number);
    return threads.includes(process.pid) ? threads.filter((thread) => thread !== process.pid) : [];
  } catch {
    return [];
  }
}
