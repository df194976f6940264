import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lets the calling thread give way to all others on the same core, of other processes too. Only on Linux: there it
 * applies to this thread alone, elsewhere to the whole process.
 * @param steps of niceness (setpriority(2)): each takes a fifth of the thread's share of a busy core; 19 are always
 *   enough for the lowest priority
 */
export function lowerThreadPriority(steps: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW));
  } catch {
    // It runs at normal priority.
  }
}
