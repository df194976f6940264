import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { trimMalloc } from './trim-malloc';

/** V8 shrinks the young generation only if little was allocated in the seconds before the collection. */
const CHECK_EVERY_MS = 10_000;
/** The share of its time that an idle process is busy, at most. */
const IDLE_SHARE = 0.1;

/** A collection that follows a busy time shrinks nothing; the next one does. */
const MAX_COLLECTIONS = 3;

/** After so much work, in µs of CPU of all threads, there may be memory to return again, which takes milliseconds. */
const WORK_US = 1_000_000;

/**
 * Collects the garbage of the start as soon as the process has been idle for ten seconds, until the young generation
 * has shrunk. Otherwise the process would keep more than 20 MiB, because nothing that it does when idle leads to a
 * full collection, which takes about 50 ms. Then the C library returns what it keeps of the memory in which V8 has
 * compiled the program, another 15 MiB; and later, whenever the process is idle, what indexing, a backup or a backlog has
 * left.
 */
export function shrinkHeapWhenIdle(): void {
  let collectionsLeft = MAX_COLLECTIONS;
  let returnedAt = process.cpuUsage();
  let last = performance.eventLoopUtilization();
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    if (utilization > IDLE_SHARE) return;
    if (collectionsLeft > 0) collectionsLeft = collectGarbage() ? 0 : collectionsLeft - 1;
    else if (microsecondsSince(returnedAt) < WORK_US) return;
    returnedAt = process.cpuUsage();
    void trimMalloc();
  }, CHECK_EVERY_MS).unref();
}

function microsecondsSince(usage: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(usage);
  return user + system;
}

const youngGenerationSize = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size;

/** @returns whether the young generation has shrunk */
function collectGarbage(): boolean {
  const before = youngGenerationSize();
  // V8 offers the function only to contexts that are created while this flag is set.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
  return youngGenerationSize() < before;
}
