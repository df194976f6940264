import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../ground/lower-thread-priority';
import { defineBodyFunctions } from './body-functions';
import type { Attached, ReadResponse, ReadRequest } from './sqlite-reader';
import { openReading, type Connection, type SqliteStatement } from './sqlite-driver';

/** Of a busy core it then gets a tenth of the usual share: acknowledgements do not wait while lists are read. */
const PRIORITY_STEPS = 10;

/** Preparing a statement may take longer than executing it. */
const KEPT_STATEMENTS = 50;

/** Each message is one read; null closes the database and ends the thread. */
const port = parentPort!;
lowerThreadPriority(PRIORITY_STEPS);
const { file, attached } = workerData as { file: string; attached: Attached[] };
const connection = open();
defineBodyFunctions(connection);
/** By their SQL, the most recently used last. */
const statements = new Map<string, SqliteStatement>();
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
    return { rows: prepared(request.sql).all(...request.parameters) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function prepared(sql: string): SqliteStatement {
  const statement = statements.get(sql) ?? connection.prepare(sql);
  statements.delete(sql);
  statements.set(sql, statement);
  if (statements.size > KEPT_STATEMENTS) statements.delete(statements.keys().next().value!);
  return statement;
}

function attach({ file: other, name }: Attached): void {
  connection.prepare(`ATTACH ? AS ${name}`).run(other);
}
