import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Pool } from 'pg';
import type { Knowledge } from '../../../contract/entity';
import { lookAtChanges } from '../../filters/body-conditions';
import { COMPARED, JOIN_PREVIOUS, PREVIOUS_BODY } from '../reading/compared-events';
import { inJsonList } from '../reading/dialect';
import { endThread } from '../reading/end-thread';
import {
  BODIES_OF,
  databaseClosed,
  INTERNAL,
  Reader,
  requestAbandoned,
  type BodiesOf,
  type FieldsOfEvent,
  type MatchedBody,
  type RequestSignal,
} from '../reading/reader';
import { SerialQueue } from '../../ground/serial-queue';
import type { BodiesRequest, BodiesResponse } from './bodies.thread';
import { orNotReadable } from './postgres-errors';

/** A request to the thread, which answers in their order. */
interface Parsing {
  resolve: (response: BodiesResponse) => void;
  reject: (error: Error) => void;
}

interface BodyRow<Key> {
  key: Key;
  body: Uint8Array;
}

interface ComparedRow<Key> extends BodyRow<Key> {
  knowledge: Knowledge;
  previous: Uint8Array | null;
}

const WITH_PREVIOUS = `${COMPARED} SELECT c.seq AS key, c.knowledge, e.body, ${PREVIOUS_BODY} AS previous
  FROM compared c JOIN events e ON e.seq = c.seq ${JOIN_PREVIOUS}`;

/** Reads on a few connections, for each caller one at a time. Bodies are parsed on a thread. */
export class PostgresReader extends Reader {
  /** Of each caller, with how many reads are queued or running. */
  private readonly queues = new Map<string, { queue: SerialQueue; reads: number }>();
  private readonly parsing: Parsing[] = [];
  private worker: Worker | null = null;
  private closing = false;

  constructor(private readonly pool: Pool) {
    super();
  }

  /** @throws RelayError `storage_failed`, 503, if the server or the connection to it is at fault */
  async all<Row>(
    [sql, parameters]: [sql: string, parameters: unknown[]],
    signal?: RequestSignal,
  ): Promise<Row[]> {
    return this.queued(signal, () =>
      orNotReadable(async () => (await this.pool.query(sql, parameters)).rows as Row[]),
    );
  }

  async matchBodies<Key extends number | string>(
    keys: readonly Key[],
    conditions: readonly string[],
    signal?: RequestSignal,
    { table, key, list }: BodiesOf = BODIES_OF.events,
  ): Promise<MatchedBody<Key>[]> {
    const sql = conditions.some(lookAtChanges)
      ? WITH_PREVIOUS
      : `SELECT ${key} AS key, body, 'unknown' AS knowledge, NULL AS previous FROM ${table}
         WHERE ${key} ${inJsonList('?', list)}`;
    const rows = await this.all<ComparedRow<Key>>([sql, [JSON.stringify(keys)]], signal);
    const { verdicts } = await this.parse({
      conditions,
      bodies: rows.map(({ body }) => body),
      before: rows.map(({ knowledge, previous }) => ({ knowledge, body: previous })),
    });
    return rows.flatMap((row, i) => {
      const ofBody = verdicts![i]!;
      return ofBody === null ? [] : [{ key: row.key, verdicts: ofBody }];
    });
  }

  async readFields(
    seqs: readonly number[],
    paths: readonly string[],
    signal?: RequestSignal,
  ): Promise<FieldsOfEvent[]> {
    const rows = await this.bodies(seqs, BODIES_OF.events, signal);
    const { fields } = await this.parse({ paths, bodies: rows.map(({ body }) => body) });
    return rows.map(({ key }, i) => ({ seq: key, fields: fields![i]! }));
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.pool.end();
    for (const { reject } of this.parsing.splice(0)) reject(databaseClosed());
    if (this.worker !== null) await endThread(this.worker);
  }

  private bodies<Key>(
    keys: readonly Key[],
    { table, key, list }: BodiesOf,
    signal?: RequestSignal,
  ): Promise<BodyRow<Key>[]> {
    const sql = `SELECT ${key} AS key, body FROM ${table} WHERE ${key} ${inJsonList('?', list)}`;
    return this.all<BodyRow<Key>>([sql, [JSON.stringify(keys)]], signal);
  }

  private async queued<T>(signal: RequestSignal | undefined, read: () => Promise<T>): Promise<T> {
    const caller = signal?.caller ?? INTERNAL;
    const ofCaller = this.queues.get(caller) ?? { queue: new SerialQueue(), reads: 0 };
    this.queues.set(caller, ofCaller);
    ofCaller.reads += 1;
    try {
      return await ofCaller.queue.run(async () => {
        if (this.closing) throw databaseClosed();
        if (signal?.aborted) throw requestAbandoned();
        return read();
      });
    } finally {
      ofCaller.reads -= 1;
      if (ofCaller.reads === 0) this.queues.delete(caller);
    }
  }

  private parse(request: BodiesRequest): Promise<BodiesResponse> {
    return new Promise((resolve, reject) => {
      if (this.closing) {
        reject(databaseClosed());
        return;
      }
      this.worker ??= this.startThread();
      this.parsing.push({ resolve, reject });
      this.worker.postMessage(request);
    });
  }

  private startThread(): Worker {
    const worker = new Worker(join(__dirname, 'bodies.thread.js'));
    worker.on('message', (response: BodiesResponse) => {
      const parsing = this.parsing.shift();
      if (response.error === undefined) parsing?.resolve(response);
      else parsing?.reject(new Error(response.error));
    });
    worker.on('error', (error) => {
      this.worker = null;
      for (const { reject } of this.parsing.splice(0)) reject(error);
    });
    return worker;
  }
}
