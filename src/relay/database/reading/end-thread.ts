import type { Worker } from 'node:worker_threads';

/**
 * Asks a thread to end (by posting null) and waits for it. It closes its database and ends between two statements. It is
 * never terminated: if that interrupts a statement, the driver aborts the whole process.
 */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage(null);
  await ended;
}
