import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../ground/lower-thread-priority';
import { bodyText } from '../ground/parse-body';
import { PayloadExaminer } from './examine-payload';
import { newSchema, readSchema, writeSchema } from './schema-node';

/** To the lowest priority. */
const PRIORITY_STEPS = 19;

const MAX_TYPES = 64;

/** Events to examine, in order. */
export interface ExamineRequest {
  /** How many are stored, by type, examined or not. */
  events: [type: string, count: number][];
  bodies: { type: string; seq: number; at: number; body: Uint8Array }[];
  /** Whether to respond with the schemas that have changed since the last report. */
  report: boolean;
}

export interface ExamineResponse {
  tookMs: number;
  changed: [type: string, schema: string][];
}

/** Each message is one request; null ends the thread. */
const port = parentPort!;
const { schemas } = workerData as { schemas: [type: string, schema: string][] };
lowerThreadPriority(PRIORITY_STEPS);
const examiners = new Map(schemas.map(([type, text]) => [type, new PayloadExaminer(readSchema(text))]));
const changed = new Set<string>();

port.on('message', (request: ExamineRequest | null) => {
  if (request === null) port.close();
  else port.postMessage(respond(request));
});

function respond({ events, bodies, report }: ExamineRequest): ExamineResponse {
  const startedAt = performance.now();
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
  return { tookMs: performance.now() - startedAt, changed: report ? takeChanged() : [] };
}

function takeChanged(): ExamineResponse['changed'] {
  const types = [...changed];
  changed.clear();
  return types.map((type) => [type, writeSchema(examiners.get(type)!.schema)]);
}
