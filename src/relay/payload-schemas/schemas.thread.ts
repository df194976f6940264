import { parentPort, workerData } from 'node:worker_threads';
import { openReading, type Connection } from '../database/sqlite/sqlite-driver';
import { lowerThreadPriority } from '../ground/lower-thread-priority';
import { bodyText } from '../ground/parse-body';
import { threadCpuTime } from '../ground/thread-cpu-time';
import { EventChoice, type ChosenEvents } from './choose-events';
import { PayloadExaminer } from './examine-payload';
import { MAX_TYPES, newSchema, readSchema, writeSchema } from './schema-node';

/** Lower, and it would never catch up beside busy programs. */
const PRIORITY_STEPS = 10;

export interface SchemasThreadData {
  /** Of SQLite. Null: the main thread reads for this one. */
  databaseFile: string | null;
  schemas: [type: string, schema: string][];
}

/** Asks for a step: to examine the next events. */
export interface StepRequest {
  after: number;
  /** Whether to respond with the schemas that have changed since the last report; the last step always does. */
  report: boolean;
}

export interface StepResponse {
  through: number;
  isLast: boolean;
  /** CPU time of the thread since the step before. */
  tookMs: number;
  /** Null: no report. */
  changed: [type: string, schema: string][] | null;
}

/** Asks the main thread for rows. */
export type RowsRequest = [sql: string, parameters: unknown[]];
export type RowsResponse = unknown[];

/** Each message is a step, the rows of a read, or null, which ends the thread. */
const port = parentPort!;
const { databaseFile, schemas } = workerData as SchemasThreadData;
lowerThreadPriority(PRIORITY_STEPS);
let connection: Connection | null = null;
const choice = new EventChoice(async <Row>(sql: string, parameters: unknown[]) => {
  if (databaseFile === null) return (await askForRows([sql, parameters])) as Row[];
  connection ??= openReading(databaseFile);
  return connection.prepare(sql).all(...parameters) as Row[];
});
const examiners = new Map(schemas.map(([type, text]) => [type, new PayloadExaminer(readSchema(text))]));
const changed = new Set<string>();
/** CPU time until the last response. */
let usedMs = threadCpuTime();
let takeRows: (rows: RowsResponse) => void = () => undefined;

port.on('message', (message: StepRequest | RowsResponse | null) => {
  if (message === null) {
    connection?.close();
    port.close();
  } else if (Array.isArray(message)) takeRows(message);
  // An error of the driver would lose its message on the way to another thread.
  else void examineNext(message).catch((error: Error) => Promise.reject(new Error(error.message)));
});

function askForRows(request: RowsRequest): Promise<RowsResponse> {
  return new Promise((resolve) => {
    takeRows = resolve;
    port.postMessage(request);
  });
}

async function examineNext({ after, report }: StepRequest): Promise<void> {
  const chosen = await choice.next(after);
  if (chosen !== null) examine(chosen);
  const isLast = chosen?.isLast ?? true;
  const response = {
    through: chosen?.through ?? after,
    isLast,
    changed: report || isLast ? takeChanged() : null,
  };
  const now = threadCpuTime();
  port.postMessage({ ...response, tookMs: now - usedMs } satisfies StepResponse);
  usedMs = now;
}

function examine({ events, bodies }: ChosenEvents): void {
  for (const { type, seq, at, body } of bodies) {
    if (!examiners.has(type) && examiners.size < MAX_TYPES)
      examiners.set(type, new PayloadExaminer(newSchema(seq, at)));
    examiners.get(type)?.examine(JSON.parse(bodyText(body)), seq, at);
  }
  for (const [type, count] of events) {
    const examiner = examiners.get(type);
    if (examiner === undefined) continue;
    examiner.schema.events += count;
    changed.add(type);
  }
}

function takeChanged(): [type: string, schema: string][] {
  const types = [...changed];
  changed.clear();
  return types.map((type) => [type, writeSchema(examiners.get(type)!.schema)]);
}
