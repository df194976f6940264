import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The longest time that a case may block the event loop. */
export const MAX_STALL_MS = 50;
/** Other load may slow down a case once, but hardly each time. */
const MAX_MEASUREMENTS = 4;

const MEGABYTE = 1024 * 1024;

/** @throws if the case blocks the event loop too long in each measurement, by wall time and by CPU time */
export function expectNoStall(one: () => void): void {
  let shortestMs = Infinity;
  for (let i = 0; i < MAX_MEASUREMENTS && shortestMs > MAX_STALL_MS; i += 1)
    shortestMs = Math.min(shortestMs, costOf(one));
  if (shortestMs > MAX_STALL_MS)
    throw new Error(`The fastest of ${MAX_MEASUREMENTS} runs took ${shortestMs.toFixed(0)} ms.`);
}

function costOf(one: () => void): number {
  const at = performance.now();
  const cpu = process.cpuUsage();
  one();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - at, (user + system) / 1_000);
}

/** The heap of this process after a garbage collection, in MB. */
export function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / MEGABYTE;
}
