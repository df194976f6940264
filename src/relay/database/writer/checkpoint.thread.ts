import { parentPort, workerData } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, sqliteDriver } from '../sqlite-driver';
import { codeOf } from './sqlite-faults';
import { SqlitePrefetch } from './prefetch';
import type { CheckpointResponse, CheckpointRequest } from '../journal/threads';

/**
 * Copies the log into the database without blocking the writer; between checkpoints it prefetches what is to be delivered.
 * `true` asks for a checkpoint, whose response says how it failed; null ends the thread.
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

/** @returns SQLite's code if the disk fails or is full: the log keeps everything for the next checkpoint */
function checkpoint(): string | null {
  try {
    connection.pragma('wal_checkpoint(PASSIVE)');
    return null;
  } catch (error) {
    return codeOf(error);
  }
}
