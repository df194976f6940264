// CPU time of a process by thread, as the scheduler of Linux counts it.
import { readdirSync, readFileSync } from 'node:fs';
import { readIfExists } from './processes.mjs';

/** Threads that Node starts: V8's for compilation and garbage collection, and libuv's for files and lookups. */
const OTHERS = 'V8 and libuv';

/**
 * @param threadLog the file that `programs/name-threads.cjs` writes
 * @returns microseconds by the name of the thread
 */
export function threadTimes(pid, threadLog) {
  const names = new Map((readIfExists(threadLog) ?? '').split('\n').map((line) => line.split(' ')));
  const times = {};
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const name = names.get(id) ?? OTHERS;
    times[name] = (times[name] ?? 0) + runTime(pid, id);
  }
  return times;
}

/** @returns what each thread used between two readings, per unit of `count`, in microseconds; `total` is all of it */
export function perUnit(before, after, count) {
  const used = Object.entries(after).map(([name, time]) => [name, (time - (before[name] ?? 0)) / count]);
  return { ...Object.fromEntries(used), total: used.reduce((sum, [, time]) => sum + time, 0) };
}

/** 0 for a thread that has just ended. */
function runTime(pid, id) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return 0;
  }
}
