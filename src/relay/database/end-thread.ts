import type { Worker } from 'node:worker_threads';

/** Longer than any statement waits for a lock, with time for a low-priority thread on a busy machine. */
const WITHIN_MS = 4_000;

/**
 * Asks a thread to end (by null) and waits for it: it ends between two statements, after closing its database. Terminating
 * it is the last resort: inside a statement that then fails, the driver aborts the whole process.
 */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage(null);
  const timer = setTimeout(() => void thread.terminate(), WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
