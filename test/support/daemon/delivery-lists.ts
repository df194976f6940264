import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { DeliveriesService } from '../../../src/relay/deliveries/deliveries.service';
import { DeadLetterCausesQuery } from '../../../src/relay/deliveries/dead-letters/dead-letter-causes.query';
import { DeadLettersService } from '../../../src/relay/deliveries/dead-letters/dead-letters.service';
import { DeliveryIndexes } from '../../../src/relay/deliveries/delivery-indexes';
import { QueueDelaysQuery } from '../../../src/relay/deliveries/queue/queue-delays.query';
import { Backlog } from '../../../src/relay/deliveries/queue/backlog';
import type { DeliveryKey } from '../../../src/relay/ground/ids';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { ENTITIES } from '../../../src/relay/relay.module';
import { ONLY_DAEMON } from '../only-daemon';
import { START, type ScratchStore } from './scratch-journal';

export const TARGETS = [1, 2, 3, 4];
export const idOf = (target: number) => `tgt_${String(target).repeat(26)}`;

const TYPES = ['deal.updated', 'contact.created', 'contact.updated', 'task.created'];
export const STATES = ['waiting', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'] as const;

/** SQL: a delivered delivery of each event `e` to the first two targets `t`. */
export const DELIVERED = `SELECT e.seq, t.number, 0, 'succeeded', e.received_at FROM events e, targets t WHERE t.number <= 2`;

export async function storeTargets(scratch: ScratchStore): Promise<void> {
  for (const target of TARGETS)
    await scratch.exec(
      `INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at)
       VALUES (${target}, '${idOf(target)}', 'target ${target}', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0)`,
    );
}

interface Stored {
  /** The newest `seq`. */
  newest: number;
  /** From one event's `seq` to the next. */
  step?: number;
  /** SQL: the event, target, number, state and creation of each delivery. */
  deliveries: string;
  indexedThrough?: number;
}

/** Stores events of mixed types with deliveries, without the journal. */
export async function storeDeliveries(
  scratch: ScratchStore,
  { newest, step = 1, deliveries, indexedThrough = newest }: Stored,
): Promise<void> {
  await scratch.exec(`
    WITH RECURSIVE many(i) AS (SELECT ${step} UNION ALL SELECT i + ${step} FROM many WHERE i < ${newest})
    INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
      SELECT i, ${START} + i, CASE i % 31 WHEN 0 THEN '${TYPES[1]}' WHEN 1 THEN '${TYPES[2]}' WHEN 2 THEN '${TYPES[3]}' ELSE '${TYPES[0]}' END,
        '[]', '', '', '' FROM many;
    INSERT INTO deliveries(event_seq, target_id, n, state, created_at, "trigger", attempts)
      SELECT d.*, 'live', 1 FROM (${deliveries}) d;
    UPDATE deliveries SET due_at = 0 WHERE state IN ('pending', 'retrying');
    UPDATE deliveries SET finished_at = 1 WHERE state IN ('succeeded', 'dead', 'cancelled');
    UPDATE deliveries SET lane = 'all' WHERE state = 'waiting';
    UPDATE deliveries SET last_error = CASE event_seq % 3 WHEN 0 THEN 'tls' ELSE 'http_status' END,
      last_status = CASE event_seq % 3 WHEN 0 THEN NULL ELSE 503 END WHERE state IN ('retrying', 'dead');
    INSERT INTO event_types(type, seq) SELECT type, seq FROM events WHERE seq <= ${indexedThrough};
    INSERT INTO delivery_targets(target_id, event_seq)
      SELECT DISTINCT target_id, event_seq FROM deliveries WHERE event_seq <= ${indexedThrough} OR n > 0;
    UPDATE instance SET indexed_through = ${indexedThrough}`);
}

/** What reads the deliveries of a scratch store, as it is when this is opened. */
export class DeliveryLists {
  inFlight: DeliveryKey[] = [];
  /** The SQL that was read beside the main thread. */
  statements: string[] = [];
  readonly backlog: Backlog;
  readonly delays: QueueDelaysQuery;
  readonly deliveries: DeliveriesService;
  readonly letters: DeadLettersService;
  readonly causes: DeadLetterCausesQuery;

  private constructor(
    { reader, journal, clock }: ScratchStore,
    private readonly source: DataSource,
  ) {
    const all = reader.all.bind(reader);
    reader.all = (statement, signal) => (this.statements.push(statement[0]), all(statement, signal));
    const records = TARGETS.map((number) => ({ number, id: idOf(number), policy: { ordering: 'none' } }));
    const targets = {
      all: () => records,
      byNumber: (wanted: number) => records.find(({ number }) => number === wanted) ?? null,
      onChange: () => undefined,
    };
    const dispatcher = { keysInFlight: () => this.inFlight, isInFlight: () => false };
    const log = pino({ level: 'silent' });
    const bounds = new TimeBounds(clock);
    const { leadership } = ONLY_DAEMON;
    this.backlog = new Backlog(source, reader, targets as never, journal, leadership, bounds, log);
    this.delays = new QueueDelaysQuery(reader, this.backlog, bounds);
    this.deliveries = new DeliveriesService(
      source,
      reader,
      journal,
      targets as never,
      dispatcher as never,
      new DeliveryIndexes(reader, this.backlog),
      bounds,
    );
    this.letters = new DeadLettersService(source, reader, journal, {} as never, this.deliveries, clock);
    this.causes = new DeadLetterCausesQuery(source, reader, journal, this.letters, clock);
  }

  static async open(scratch: ScratchStore): Promise<DeliveryLists> {
    const lists = new DeliveryLists(scratch, await scratch.openSource(ENTITIES));
    await lists.backlog.onModuleInit();
    return lists;
  }

  /** To be called before the store is removed. */
  close(): Promise<void> {
    return this.source.destroy();
  }
}
