import type { Worker } from 'node:worker_threads';

const ending = new Set<Promise<unknown>>();

/**
 * Asks a thread to end (by posting null) and waits for it. It closes its database and ends between two statements. It is
 * never terminated: if that interrupts a statement, the driver aborts the whole process.
 */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  ending.add(ended);
  thread.postMessage(null);
  await ended;
  ending.delete(ended);
}

/** Resolves once all threads have ended that were asked to. Before that, an exit of the process would terminate them. */
export async function threadsEnded(): Promise<void> {
  await Promise.all(ending);
}
