import { parentPort, workerData } from 'node:worker_threads';
import type { Attached, ReadResponse, ReadRequest } from './reader';
import { openReading } from './sqlite-driver';
import { defineFunctions } from './sqlite-functions';

/** One message is one read; null closes the file and ends the thread. */
const port = parentPort!;
const { file, attached } = workerData as { file: string; attached: Attached[] };
const connection = openReading(file);
defineFunctions(connection);
attached.forEach(attach);

port.on('message', (request: ReadRequest | null) => {
  if (request === null) {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(answer(request));
});

function answer(request: ReadRequest): ReadResponse {
  try {
    if ('attach' in request) {
      attach(request.attach);
      return { rows: [] };
    }
    return { rows: connection.prepare(request.sql).all(...request.parameters) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function attach({ file: other, name }: Attached): void {
  connection.prepare(`ATTACH ? AS ${name}`).run(other);
}
