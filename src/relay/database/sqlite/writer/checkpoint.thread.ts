import { parentPort, workerData } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, sqliteDriver } from '../sqlite-driver';
import { errorCode } from '../../../ground/describe-error';
import { SqlitePrefetch } from './prefetch';
import type { CheckpointResponse, CheckpointRequest } from '../threads';

/**
 * Copies the write-ahead log into the database without blocking the writer, and prefetches deliveries between
 * checkpoints. `true` requests a checkpoint, whose response has the error code if it failed; null ends the thread.
 */
const port = parentPort!;
const connection = new sqliteDriver((workerData as { file: string }).file);
connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
const prefetch = new SqlitePrefetch(connection);

port.on('message', (request: CheckpointRequest) => {
  if (request === null) {
    connection.close();
    port.close();
    return;
  }
  const response: CheckpointResponse =
    request === true ? { failed: checkpoint() } : { read: prefetch.read(request) };
  port.postMessage(response);
});

/** @returns SQLite's error code if the disk fails or is full; the log then keeps everything for the next one */
function checkpoint(): string | null {
  try {
    connection.pragma('wal_checkpoint(PASSIVE)');
    return null;
  } catch (error) {
    return errorCode(error);
  }
}
