import { parentPort, workerData } from 'node:worker_threads';
import type { Group } from '../journal/group';
import { SqliteWriter } from './writer';

/**
 * Runs the writer on a separate thread, so that a slow disk never blocks the main thread. Each message is one
 * group; null closes the database and ends the thread.
 */
const port = parentPort!;
const writer = new SqliteWriter((workerData as { file: string }).file);
port.postMessage({ instance: writer.instance, synchronous: writer.synchronous });

port.on('message', (group: Group | null) => {
  if (group === null) {
    writer.close();
    port.close();
    return;
  }
  port.postMessage(writer.commit(group));
  writer.runMaintenance();
});
