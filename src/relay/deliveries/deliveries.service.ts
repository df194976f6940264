import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { Delivery, DeliveryDetail, DeliveryQuery } from '../../contract/delivery';
import type { Page } from '../../contract/page';
import { Journal, type AttemptRecord } from '../database/journal/journal';
import { Reader, type RequestSignal } from '../database/reading/reader';
import { indexOfSeqs, walkSeqs, type SeqRange } from '../database/reading/walk-seqs';
import { deliveryId, keyOfDeliveryId, seqOfEventId, type DeliveryKey } from '../ground/ids';
import { behindCursor, RelayError } from '../ground/relay-error';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { DeliveryEntity } from './delivery.entity';
import { DeliveryIndexes } from './delivery-indexes';
import { DispatchWorker } from './queue/dispatch.worker';
import { filterDeliveries } from './dead-letters/filter-deliveries';
import { presentAttempt, presentDelivery } from './present-delivery';

/** After this time a search returns the deliveries found so far, with a cursor to continue. */
const SEARCH_TIMEOUT_MS = 2_000;

type Attempts = (AttemptRecord & DeliveryKey)[];

const SELECT_ATTEMPTS = `SELECT event_seq AS seq, target_id AS target, n, number, at, duration_ms AS "durationMs", status, error,
    excerpt, transform FROM attempts
  WHERE event_seq = ? AND target_id = coalesce(?, target_id) AND n = coalesce(?, n) ORDER BY number`;

type Row = DeliveryEntity & {
  edited: number;
  receivedAt: number;
  type: string;
  entity: string | null;
  name: string | null;
  targetId: string;
  targetName: string;
};

/** Reads deliveries. */
@Injectable()
export class DeliveriesService {
  private selectByKeys: string | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly dispatcher: DispatchWorker,
    private readonly indexes: DeliveryIndexes,
    private readonly bounds: TimeBounds,
  ) {}

  /**
   * Newest event first. If matches are rare, a page may be shorter than requested and still have a cursor.
   * @param condition an additional SQL condition
   */
  async find(query: DeliveryQuery, condition = '1 = 1', signal?: RequestSignal): Promise<Page<Delivery>> {
    const { limit, cursor } = query;
    const from = cursor === undefined ? null : await behindCursor(() => this.keyOf(cursor));
    const range = await this.rangeOf(query, from);
    const index =
      query.status === 'in_flight'
        ? indexOfSeqs(this.dispatcher.keysInFlight().map(({ seq }) => seq))
        : await this.indexes.for({ ...query, states: query.status && [query.status] }, range);
    const deadline = performance.now() + SEARCH_TIMEOUT_MS;
    const found: Row[] = [];
    const page = (rows: Row[], next: DeliveryKey | null): Page<Delivery> => ({
      data: rows.map((row) => this.present(row)),
      next_cursor: next && deliveryId(next, this.journal.instanceId),
    });
    for await (const { rows, lastSeq: at } of walkSeqs<Row>({
      range,
      order: 'newest first',
      index,
      limit: limit + 1,
      rows: () => this.narrowed(query, from, condition),
      orderBy: ['d.event_seq', 'd.target_id', 'd.n'],
      reader: this.reader,
      signal,
    })) {
      found.push(...rows);
      if (found.length > limit) return page(found.slice(0, limit), found[limit - 1]!);
      // A cursor is a position; a delivery with this key need not exist.
      if (performance.now() > deadline && at - range.after > 1)
        return page(found, { seq: at, target: 0, n: 0 });
    }
    return page(found, null);
  }

  /** @throws RelayError `delivery_unknown`, 404 */
  async get(id: string): Promise<DeliveryDetail> {
    const key = this.keyOf(id);
    const query = this.rows().where('d.event_seq = :seq AND d.target_id = :target AND d.n = :n', { ...key });
    const row = await query.getRawOne<Row>();
    if (row === undefined) throw deliveryUnknown(id);
    return this.withAttempts(row, await this.attempts(key));
  }

  /** All deliveries of an event with their attempts, in order of creation. */
  async ofEvent(seq: number): Promise<DeliveryDetail[]> {
    const query = this.rows().where('d.event_seq = :seq', { seq }).orderBy('d.n').addOrderBy('d.target_id');
    const rows = await query.getRawMany<Row>();
    const attempts = await this.attempts({ seq });
    const byDelivery = new Map<string, Attempts>();
    for (const attempt of attempts) {
      const key = `${attempt.target} ${attempt.n}`;
      const before = byDelivery.get(key);
      if (before === undefined) byDelivery.set(key, [attempt]);
      else before.push(attempt);
    }
    return rows.map((row) => this.withAttempts(row, byDelivery.get(`${row.target} ${row.n}`) ?? []));
  }

  /** The deliveries with these keys that exist, in any order. */
  async byKeys(keys: readonly DeliveryKey[]): Promise<Delivery[]> {
    if (keys.length === 0) return [];
    // Repeated up to a power of two: so there are few texts of statements, which remain prepared.
    const count = 2 ** Math.ceil(Math.log2(keys.length));
    const values = Array.from({ length: count }, (_, i) => keys[i] ?? keys[0]!);
    this.selectByKeys ??= `${this.rows().getQuery()} WHERE (d.event_seq, d.target_id, d.n) IN`;
    const rows = await this.source.query<Row[]>(
      `${this.selectByKeys} (VALUES ${values.map(() => KEY_VALUES).join(', ')})`,
      values.flatMap(({ seq, target, n }) => [seq, target, n]),
    );
    return rows.map((row) => this.present(row));
  }

  private narrowed(query: DeliveryQuery, from: DeliveryKey | null, condition: string) {
    const { status } = query;
    const rows = this.rows().where(condition);
    filterDeliveries(rows, query, this.journal.instanceId);
    if (status === 'in_flight') rows.andWhere(hasKeyIn(this.dispatcher.keysInFlight()));
    else if (status !== undefined) rows.andWhere('d.state = :status', { status });
    if (from !== null)
      rows.andWhere('(d.event_seq, d.target_id, d.n) < (:seq0, :target0, :n0)', cursorKey(from));
    return rows;
  }

  /** The range of events whose deliveries may match. */
  private async rangeOf({ event }: DeliveryQuery, from: DeliveryKey | null): Promise<SeqRange> {
    const [ends] = await this.reader.all<{ oldest: number | null; newest: number | null }>([
      'SELECT (SELECT min(seq) FROM events) AS oldest, (SELECT max(seq) FROM events) AS newest',
      [],
    ]);
    const seq = event === undefined ? null : (seqOfEventId(event, this.journal.instanceId) ?? -1);
    return {
      after: (seq ?? ends?.oldest ?? 1) - 1,
      before: Math.min(seq ?? Infinity, from?.seq ?? Infinity, ends?.newest ?? 0) + 1,
    };
  }

  private rows(): SelectQueryBuilder<DeliveryEntity> {
    return this.source
      .createQueryBuilder(DeliveryEntity, 'd')
      .select([
        'd.event_seq AS seq',
        'd.target_id AS target',
        'd.n AS n',
        'd.state AS state',
        'd.attempts AS attempts',
        'd.lane AS lane',
        'd.note AS note',
      ])
      .addSelect(['d.trigger AS "trigger"', 'd.replay_id AS "replayId"', 'd.created_at AS "createdAt"'])
      .addSelect(['d.due_at AS "dueAt"', 'd.finished_at AS "finishedAt"'])
      .addSelect(['d.last_status AS "lastStatus"', 'd.last_error AS "lastError"'])
      .addSelect(`${EDITED} AS edited`)
      .addSelect(['e.received_at AS "receivedAt"', 'e.type AS type', 'e.entity AS entity', 'e.name AS name'])
      .addSelect(['t.id AS "targetId"', 't.name AS "targetName"'])
      .innerJoin('events', 'e', 'e.seq = d.event_seq')
      .innerJoin('targets', 't', 't.number = d.target_id');
  }

  private attempts({ seq, target, n }: Pick<DeliveryKey, 'seq'> & Partial<DeliveryKey>): Promise<Attempts> {
    return this.source.query<Attempts>(SELECT_ATTEMPTS, [seq, target ?? null, n ?? null]);
  }

  /** @param attempts were read after the row, so attempts that were stored in between are left out */
  private withAttempts(row: Row, attempts: Attempts): DeliveryDetail {
    const known = attempts.filter(({ number }) => number <= row.attempts);
    return { ...this.present(row), attempts: known.map(presentAttempt) };
  }

  private present(row: Row): Delivery {
    return presentDelivery(row, {
      instanceId: this.journal.instanceId,
      event: row,
      target: { id: row.targetId, name: row.targetName },
      inFlight: this.dispatcher.isInFlight(row),
      dueAt: row.dueAt === null ? null : this.bounds.toWallClock(row.dueAt),
      ordered: (this.targets.byNumber(row.target)?.policy.ordering ?? 'none') !== 'none',
    });
  }

  private keyOf(id: string): DeliveryKey {
    const key = keyOfDeliveryId(id, this.journal.instanceId);
    if (key === null) throw deliveryUnknown(id);
    return key;
  }
}

const EDITED = `EXISTS (SELECT 1 FROM edited_bodies x
  WHERE x.event_seq = d.event_seq AND x.target_id = d.target_id AND x.n = d.n)`;

/** PostgreSQL takes parameters in VALUES for texts. */
const KEY_VALUES = '(CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint))';

/** An SQL condition for deliveries with these keys. The keys are numbers, so nothing needs escaping. */
function hasKeyIn(keys: readonly DeliveryKey[]): string {
  if (keys.length === 0) return '1 = 0';
  return `(d.event_seq, d.target_id, d.n) IN (VALUES ${keys.map(({ seq, target, n }) => `(${seq}, ${target}, ${n})`).join(', ')})`;
}

const cursorKey = ({ seq, target, n }: DeliveryKey) => ({ seq0: seq, target0: target, n0: n });

export function deliveryUnknown(id: string): RelayError {
  return new RelayError('delivery_unknown', 404, `There is no delivery ${id}.`, {
    remedy: 'It may have been removed by retention. GET /api/v1/deliveries lists the stored deliveries.',
  });
}
