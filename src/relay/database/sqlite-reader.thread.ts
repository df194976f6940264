import { parentPort, workerData } from 'node:worker_threads';
import type { ReadAnswer } from './reader';
import { openReading } from './sqlite-driver';

const port = parentPort!;
const connection = openReading((workerData as { file: string }).file);

port.on('message', ({ id, sql, parameters }: { id: number; sql: string; parameters: unknown[] }) => {
  port.postMessage(answer(id, sql, parameters));
});

function answer(id: number, sql: string, parameters: unknown[]): ReadAnswer {
  try {
    return { id, rows: connection.prepare(sql).all(...parameters) };
  } catch (error) {
    return { id, error: (error as Error).message };
  }
}
