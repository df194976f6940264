import { parentPort, workerData } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, sqliteDriver } from './sqlite-driver';

/**
 * Copies the log into the database beside the writer, which so never stops for it. A message asks for a checkpoint and
 * is answered when it is done; null ends the thread.
 */
const port = parentPort!;
const connection = new sqliteDriver((workerData as { file: string }).file);
connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);

port.on('message', (request: true | null) => {
  if (request === null) {
    connection.close();
    port.close();
    return;
  }
  try {
    connection.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // The disk fails or is full: the log keeps everything, and the next request tries again.
  }
  port.postMessage('done');
});
