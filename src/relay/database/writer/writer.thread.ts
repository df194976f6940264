import { parentPort, workerData } from 'node:worker_threads';
import type { Group } from '../journal/group';
import { SqliteWriter } from './writer';

/**
 * The writer in a thread of its own, so that a slow disk never blocks the main thread. One message is one group; null closes
 * the file and ends the thread.
 */
const port = parentPort!;
const writer = new SqliteWriter((workerData as { file: string }).file);
port.postMessage({ instanceId: writer.instanceId, synchronous: writer.synchronous });

port.on('message', (group: Group | null) => {
  if (group === null) {
    writer.close();
    port.close();
    return;
  }
  port.postMessage(writer.commit(group));
  writer.tidy();
});
