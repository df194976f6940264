import { parentPort, workerData } from 'node:worker_threads';
import type { Attached, ReadAnswer, ReadRequest } from './reader';
import { openReading } from './sqlite-driver';

const port = parentPort!;
const { file, attached } = workerData as { file: string; attached: Attached[] };
const connection = openReading(file);
attached.forEach(attach);

port.on('message', (request: ReadRequest) => {
  port.postMessage(answer(request));
});

function answer(request: ReadRequest): ReadAnswer {
  const { id } = request;
  try {
    if ('attach' in request) {
      attach(request.attach);
      return { id, rows: [] };
    }
    return { id, rows: connection.prepare(request.sql).all(...request.parameters) };
  } catch (error) {
    return { id, error: (error as Error).message };
  }
}

function attach({ file: other, name }: Attached): void {
  connection.prepare(`ATTACH ? AS ${name}`).run(other);
}
