import { constants, getPriority, setPriority } from 'node:os';

const CALLING_THREAD = 0;

/**
 * Lets a thread give way to all others on the same core, of other processes too. Only on Linux: there it applies to
 * this thread alone, elsewhere to the whole process.
 * @param steps of niceness (setpriority(2)): each takes a fifth of the thread's share of a busy core
 * @param thread its id in Linux; the calling one if it is omitted
 */
export function lowerThreadPriority(steps: number, thread = CALLING_THREAD): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(thread, Math.min(getPriority(thread) + steps, constants.priority.PRIORITY_LOW));
  } catch {
    // It runs at normal priority.
  }
}
