import type { Worker } from 'node:worker_threads';
import { withTimeout } from '../../ground/with-timeout';

/** Longer than the lock timeout of any statement, with some reserve for a low-priority thread on a busy machine. */
const TIMEOUT_MS = 4_000;

/**
 * Asks a thread to end (by posting null) and waits for it. It closes its database and ends between two statements.
 * Terminating it is the last resort: if that interrupts a statement, the driver aborts the whole process.
 */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise<true>((resolve) => thread.once('exit', () => resolve(true)));
  thread.postMessage(null);
  if (!(await withTimeout(ended, TIMEOUT_MS, false))) await thread.terminate();
}
