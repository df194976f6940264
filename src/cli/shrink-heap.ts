import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 shrinks the young generation only if little was allocated in the seconds before the collection. */
const CHECK_EVERY_MS = 10_000;
/** The share of its time that an idle process is busy, at most. */
const IDLE_SHARE = 0.1;

/**
 * Collects the garbage of the start once, as soon as the process has been idle for ten seconds. Otherwise it would keep
 * more than 20 MiB, because nothing that an idle process does leads to a full collection, which takes about 50 ms.
 */
export function shrinkHeapOnceIdle(): void {
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    if (utilization > IDLE_SHARE) return;
    clearInterval(timer);
    collectGarbage();
  }, CHECK_EVERY_MS).unref();
}

/** V8 offers the function only to contexts that are created while this flag is set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
