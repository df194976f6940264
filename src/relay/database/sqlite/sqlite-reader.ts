import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { machineFaultIn } from '../../ground/machine-faults';
import { restartDelayMs } from '../../ground/restart-delay';
import { lookAtChanges } from '../../filters/body-conditions';
import type { Verdict } from '../../filters/verdict';
import { COMPARED, JOIN_PREVIOUS, PREVIOUS_BODY } from '../reading/compared-events';
import { inJsonList } from '../reading/dialect';
import {
  BODIES_OF,
  databaseClosed,
  INTERNAL,
  notReadable,
  Reader,
  requestAbandoned,
  type BodiesOf,
  type FieldsOfEvent,
  type MatchedBody,
  type RequestSignal,
} from '../reading/reader';
import { OnDemandThread } from './on-demand-thread';

/** Another database, attached under a schema name. */
export interface Attached {
  file: string;
  name: string;
}

/** A request to the reading thread. */
export type ReadRequest = { sql: string; parameters: unknown[] } | { attach: Attached };

/** A response of the reading thread. */
export type ReadResponse = { rows: unknown[] } | { error: string };

interface Read {
  request: ReadRequest;
  signal: RequestSignal | undefined;
  resolve: (rows: unknown[]) => void;
  reject: (error: Error) => void;
}

const MATCH_CHANGES = `${COMPARED} SELECT c.seq AS key, meet_conditions(?, e.body, c.knowledge, ${PREVIOUS_BODY}) AS verdicts
  FROM compared c CROSS JOIN events e ON e.seq = c.seq ${JOIN_PREVIOUS}`;

/**
 * Runs reads on a separate thread, one at a time. Callers take turns, so that one with many reads does not block the
 * others. If the thread fails, its current read is rejected and the thread is replaced.
 */
export class SqliteReader extends Reader {
  /** By caller, in the order of their turns. No queue is empty. */
  private readonly queues = new Map<string, Read[]>();
  private current: Read | null = null;
  private readonly attached: Attached[] = [];
  private readonly thread = new OnDemandThread(
    () => this.startThread(),
    () => this.current !== null,
  );
  private failures = 0;
  private restartTimer: NodeJS.Timeout | null = null;
  private closing = false;

  constructor(private readonly file: string) {
    super();
  }

  all<Row>([sql, parameters]: [sql: string, parameters: unknown[]], signal?: RequestSignal): Promise<Row[]> {
    return this.request({ sql, parameters }, signal) as Promise<Row[]>;
  }

  async matchBodies<Key extends number | string>(
    keys: readonly Key[],
    conditions: readonly string[],
    signal?: RequestSignal,
    { table, key, list }: BodiesOf = BODIES_OF.events,
  ): Promise<MatchedBody<Key>[]> {
    const wanted = JSON.stringify(keys);
    const rows = await this.all<{ key: Key; verdicts: string | null }>(
      conditions.some(lookAtChanges)
        ? [MATCH_CHANGES, [wanted, JSON.stringify(conditions)]]
        : [
            `SELECT ${key} AS key, meet_conditions(?, body, 'unknown', NULL) AS verdicts
             FROM ${table} WHERE ${key} ${inJsonList('?', list)}`,
            [JSON.stringify(conditions), wanted],
          ],
      signal,
    );
    return rows.flatMap((row) =>
      row.verdicts === null ? [] : [{ key: row.key, verdicts: JSON.parse(row.verdicts) as Verdict[] }],
    );
  }

  async readFields(
    seqs: readonly number[],
    paths: readonly string[],
    signal?: RequestSignal,
  ): Promise<FieldsOfEvent[]> {
    const sql = `SELECT seq, read_fields(?, body) AS fields FROM events WHERE seq ${inJsonList()}`;
    const parameters = [JSON.stringify(paths), JSON.stringify(seqs)];
    const rows = await this.all<{ seq: number; fields: string }>([sql, parameters], signal);
    return rows.map(({ seq, fields }) => ({ seq, fields: JSON.parse(fields) as FieldsOfEvent['fields'] }));
  }

  /** Makes another database readable. The thread need not run for that: it attaches the database when it starts. */
  async attach(file: string, name: string): Promise<void> {
    if (this.thread.isRunning) await this.request({ attach: { file, name } });
    this.attached.push({ file, name });
  }

  async close(): Promise<void> {
    this.closing = true;
    if (this.restartTimer !== null) clearTimeout(this.restartTimer);
    this.rejectAll(databaseClosed());
    await this.thread.close();
  }

  private request(request: ReadRequest, signal?: RequestSignal): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.closing) {
        reject(databaseClosed());
        return;
      }
      const caller = signal?.caller ?? INTERNAL;
      const read = { request, signal, resolve, reject };
      const queue = this.queues.get(caller);
      if (queue === undefined) this.queues.set(caller, [read]);
      else queue.push(read);
      if (this.current === null) this.sendNext();
    });
  }

  private sendNext(): void {
    this.current = null;
    if (this.restartTimer !== null) return;
    for (let read = this.takeNext(); read !== undefined; read = this.takeNext()) {
      if (read.signal?.aborted) {
        read.reject(requestAbandoned());
        continue;
      }
      this.current = read;
      this.thread.post(read.request);
      return;
    }
  }

  /** Takes the oldest read of the next caller, and moves that caller to the end of the order. */
  private takeNext(): Read | undefined {
    for (const [caller, queue] of this.queues) {
      const read = queue.shift();
      this.queues.delete(caller);
      if (queue.length > 0) this.queues.set(caller, queue);
      return read;
    }
    return undefined;
  }

  private rejectAll(error: Error): void {
    const waiting = [...this.queues.values()].flat();
    this.queues.clear();
    for (const { reject } of waiting) reject(error);
  }

  private startThread(): Worker {
    const worker = new Worker(join(__dirname, 'reader.thread.js'), {
      workerData: { file: this.file, attached: this.attached },
    });
    let cause = databaseClosed();
    worker.on('message', (response: ReadResponse) => {
      this.failures = 0;
      if ('error' in response) this.current?.reject(new Error(response.error));
      else this.current?.resolve(response.rows);
      this.sendNext();
    });
    worker.on('error', (error) => (cause = withRemedy(error)));
    worker.on('exit', () => {
      if (!this.thread.failed(worker) && !this.closing) return;
      this.current?.reject(cause);
      this.current = null;
      if (!this.closing) this.restartThread(cause);
    });
    return worker;
  }

  /** Queued reads wait for the new thread, unless the previous thread failed without any response. */
  private restartThread(cause: Error): void {
    if (this.failures > 0) this.rejectAll(cause);
    const pauseMs = restartDelayMs(this.failures);
    this.failures += 1;
    this.restartTimer = setTimeout(() => {
      this.restartTimer = null;
      this.sendNext();
    }, pauseMs);
  }
}

/** A thread that cannot start for want of something on this machine. */
function withRemedy(error: Error): Error {
  const fault = machineFaultIn(error.message);
  return fault === null ? error : notReadable(fault.remedy, error.message);
}
