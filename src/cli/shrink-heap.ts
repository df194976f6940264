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

/**
 * Collects the garbage of the start as soon as the process has been idle for ten seconds, until the young generation
 * has shrunk. Otherwise the process would keep more than 20 MiB, because nothing that it does when idle leads to a
 * full collection, which takes about 50 ms. Then the C library returns what it keeps of the memory in which V8 has
 * compiled the program, another 15 MiB.
 */
export function shrinkHeapOnceIdle(): void {
  let collections = 0;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    if (utilization > IDLE_SHARE) return;
    const before = youngGenerationSize();
    collectGarbage();
    void trimMalloc();
    collections += 1;
    if (youngGenerationSize() < before || collections === MAX_COLLECTIONS) clearInterval(timer);
  }, CHECK_EVERY_MS).unref();
}

const youngGenerationSize = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size;

/** V8 offers the function only to contexts that are created while this flag is set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
