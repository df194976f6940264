import { parentPort, workerData } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, sqliteDriver } from '../sqlite-driver';
import { codeOf } from './sqlite-faults';
import { SqlitePrefetch } from './prefetch';
import type { CheckpointAnswer, CheckpointRequest } from '../journal/threads';

/**
 * Copies the log into the database beside the writer, which so never stops for it; between two checkpoints it reads ahead what is
 * to be delivered. `true` asks for a checkpoint and is answered by what it failed of; null ends the thread.
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
  const answer: CheckpointAnswer =
    request === true ? { failed: checkpoint() } : { read: prefetch.read(request) };
  port.postMessage(answer);
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
