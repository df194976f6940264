import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** No case may hold up the event loop for longer. */
export const MOST_MS = 50;
/** What the machine does beside a case may slow it down once, and not each time. */
const TRIES = 4;

const MEGABYTE = 1024 * 1024;

/** @throws where a case takes too long each time, by the clock and by the time that this process had a core */
export function expectQuick(one: () => void): void {
  let least = Infinity;
  for (let i = 0; i < TRIES && least > MOST_MS; i += 1) least = Math.min(least, costOf(one));
  if (least > MOST_MS) throw new Error(`It took ${least.toFixed(0)} ms at best of ${TRIES} times.`);
}

function costOf(one: () => void): number {
  const at = performance.now();
  const cpu = process.cpuUsage();
  one();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - at, (user + system) / 1_000);
}

/** Of this process, in MB, after everything that can go has gone. */
export function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / MEGABYTE;
}
