import { parentPort, workerData } from 'node:worker_threads';
import type { Knowledge } from '../../../contract/entity';
import { judgeBodies, type JudgeBody } from '../../filters/body-conditions';
import { valuesAt } from '../../filters/filter-paths';
import { parseBody } from '../../ground/parse-body';
import { versionOfBody } from '../../ground/record-version';
import type { Attached, ReadResponse, ReadRequest } from './sqlite-reader';
import { openReading, type Connection } from './sqlite-driver';

/** Each message is one read; null closes the database and ends the thread. */
const port = parentPort!;
const { file, attached } = workerData as { file: string; attached: Attached[] };
const connection = open();
defineFunctions();
for (const other of attached) {
  try {
    attach(other);
  } catch {
    // A read from it fails; all others must not.
  }
}

port.on('message', (request: ReadRequest | null) => {
  if (request === null) {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(respond(request));
});

/** @throws Error that keeps its message on the way to another thread; those of the driver do not */
function open(): Connection {
  try {
    return openReading(file);
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    throw Object.assign(new Error(message), { code });
  }
}

function respond(request: ReadRequest): ReadResponse {
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

/**
 * Adds SQL functions on bodies, since to read thousands would block the main thread: `meet_conditions(conditions, body,
 * knowledge, previous)`, the verdicts, or NULL if all are false, and `read_fields(paths, body)`, the values at the
 * paths; all in JSON. `version_of(body)` is the version of the record.
 */
function defineFunctions(): void {
  let compiled: { text: string; judge: JudgeBody } | null = null;
  connection.function(
    'meet_conditions',
    { deterministic: true },
    (text: string, body: Buffer, knowledge: Knowledge, previous: Buffer | null) => {
      if (compiled?.text !== text) compiled = { text, judge: judgeBodies(JSON.parse(text) as string[]) };
      const verdicts = compiled.judge(body, { knowledge, body: previous });
      return verdicts && JSON.stringify(verdicts);
    },
  );
  connection.function('read_fields', { deterministic: true }, (paths: string, body: Buffer) =>
    JSON.stringify(valuesAt(JSON.parse(paths) as string[], parseBody(body))),
  );
  connection.function('version_of', { deterministic: true }, versionOfBody);
}
