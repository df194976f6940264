import { parentPort, workerData } from 'node:worker_threads';
import type { CommitRequest } from '../threads';
import { SqliteWriter } from './writer';

const IDLE_MS = 10_000;

/** Writes on a thread of its own: a slow disk never blocks the main thread. Each message is a group; null ends it. */
const port = parentPort!;
const writer = new SqliteWriter((workerData as { file: string }).file);
port.postMessage({ instance: writer.instance, synchronous: writer.synchronous });

const idle = setTimeout(() => writer.releaseMemory(), IDLE_MS);

port.on('message', (request: CommitRequest) => {
  if (request === null) {
    clearTimeout(idle);
    writer.close();
    port.close();
    return;
  }
  port.postMessage(writer.commit(request.group, request.beginBefore));
  writer.runMaintenance();
  idle.refresh();
});
