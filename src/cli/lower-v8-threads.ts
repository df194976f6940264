import { readdirSync } from 'node:fs';
import { lowerThreadPriority } from '../relay/ground/lower-thread-priority';

/** Of a busy core they then get a tenth of the usual share. */
const PRIORITY_STEPS = 10;

/**
 * Lets V8's own threads, which collect garbage and optimize code, give way to those that acknowledge: on a busy core, an
 * acknowledgement would wait for them for up to 100 ms. To be called before any other thread is started.
 */
export function lowerV8Threads(): void {
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task').map(Number))
    if (thread !== process.pid) lowerThreadPriority(PRIORITY_STEPS, thread);
}
