import type { Worker } from 'node:worker_threads';

/** Beyond what any statement waits for a lock, and time for a thread of the lowest priority on a busy machine. */
const WITHIN_MS = 4_000;

/**
 * Asks a thread (by null) to end, and waits until it has: it does so between two statements, when it has closed its
 * database. Terminated within one that then fails, it would take the whole process with it, since the driver aborts where
 * it can make no error any more. So that is the last resort.
 */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage(null);
  const timer = setTimeout(() => void thread.terminate(), WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
