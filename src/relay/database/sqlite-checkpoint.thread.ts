import { parentPort, workerData } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, sqliteDriver } from './sqlite-driver';
import { codeOf } from './sqlite-faults';

/**
 * Copies the log into the database beside the writer, which so never stops for it. A message asks for a checkpoint and
 * is answered when it is done, by what it failed of; null ends the thread.
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
  port.postMessage(checkpoint());
});

/** @returns SQLite's code where the disk fails or is full: the log keeps everything, and the next request tries again */
function checkpoint(): string | null {
  try {
    connection.pragma('wal_checkpoint(PASSIVE)');
    return null;
  } catch (error) {
    return codeOf(error);
  }
}
