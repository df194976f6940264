import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The longest time that a case may block the event loop, in times of the measure. */
const MAX_MEASURES = 5;
/** What any machine may take, so that the measure is needed only after it. */
const ALLOWED_STALL_MS = 50;
/** A JSON text of a megabyte: how fast this machine is now. */
const MEASURE = JSON.stringify(
  Array.from({ length: 20_000 }, (_, id) => ({ id, event: 'deal.updated', at: `${id}` })),
);
/** Other load may slow down a case once, but hardly each time. */
const MAX_MEASUREMENTS = 4;

const MEGABYTE = 1024 * 1024;

/** @throws if the case blocks the event loop too long in each measurement, by wall time and by CPU time */
export function expectNoStall(one: () => void): void {
  let shortestMs = costOf(one);
  for (let i = 1; i < MAX_MEASUREMENTS && isStall(shortestMs); i += 1)
    shortestMs = Math.min(shortestMs, costOf(one));
  if (isStall(shortestMs))
    throw new Error(`The fastest of ${MAX_MEASUREMENTS} runs took ${shortestMs.toFixed(0)} ms.`);
}

/** Whether that is too long on this machine, as fast as it is now. */
export function isStall(tookMs: number): boolean {
  return tookMs > ALLOWED_STALL_MS && tookMs > MAX_MEASURES * costOf(() => JSON.parse(MEASURE));
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
