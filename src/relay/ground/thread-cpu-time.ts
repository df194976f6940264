import { readFileSync } from 'node:fs';
import { threadTime } from './thread-time';

/** CPU time of the calling thread in ms, as the scheduler of Linux counts it; elsewhere, the time that has passed. */
export function threadCpuTime(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1_000_000;
  } catch {
    return threadTime();
  }
}
