import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { Delivery, DeliveryDetail, DeliveryQuery } from '../../contract/delivery';
import type { Page } from '../../contract/page';
import { Journal } from '../database/journal';
import { Reader } from '../database/reader';
import { deliveryId, keyOfDeliveryId, type DeliveryKey } from '../ids';
import { RelayError } from '../relay-error';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../time-bounds';
import { AttemptEntity } from './attempt.entity';
import { DeliveryEntity } from './delivery.entity';
import { Dispatcher } from './dispatcher';
import { narrowDeliveries } from './narrow-deliveries';
import { presentAttempt, presentDelivery } from './present-delivery';

type Row = DeliveryEntity & {
  edited: number;
  receivedAt: number;
  type: string;
  entity: string | null;
  targetId: string;
  targetName: string;
};

/** Deliveries as they are read. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly dispatcher: Dispatcher,
    private readonly bounds: TimeBounds,
  ) {}

  /** Newest event first; `only`: SQL that has to hold too. */
  async find({ status, limit, cursor, ...filter }: DeliveryQuery, only = '1 = 1'): Promise<Page<Delivery>> {
    const query = this.rows()
      .where(only)
      .orderBy('d.event_seq', 'DESC')
      .addOrderBy('d.target_id', 'DESC')
      .addOrderBy('d.n', 'DESC');
    narrowDeliveries(query, filter, this.journal.hub);
    if (status === 'in_flight') query.andWhere(among(this.dispatcher.keysInFlight()));
    else if (status !== undefined) query.andWhere('d.state = :status', { status });
    if (cursor !== undefined) {
      query.andWhere(
        '(d.event_seq, d.target_id, d.n) < (:seq0, :target0, :n0)',
        cursorKey(this.keyOf(cursor)),
      );
    }
    const rows = await this.reader.all<Row>(query.limit(limit + 1).getQueryAndParameters());
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next = rows.length > limit && last !== undefined ? deliveryId(last, this.journal.hub) : null;
    return { data: page.map((row) => this.present(row)), next_cursor: next };
  }

  /** @throws RelayError `delivery_unknown`, 404 */
  async get(id: string): Promise<DeliveryDetail> {
    const key = this.keyOf(id);
    const query = this.rows().where('d.event_seq = :seq AND d.target_id = :target AND d.n = :n', { ...key });
    const row = await query.getRawOne<Row>();
    if (row === undefined) throw deliveryUnknown(id);
    return this.withAttempts(row, await this.attempts(key));
  }

  /** All deliveries of an event with their attempts, in the order in which they were made. */
  async ofEvent(seq: number): Promise<DeliveryDetail[]> {
    const query = this.rows().where('d.event_seq = :seq', { seq }).orderBy('d.n').addOrderBy('d.target_id');
    const rows = await query.getRawMany<Row>();
    const attempts = await this.attempts({ seq });
    return rows.map((row) => {
      const own = attempts.filter(({ target, n }) => target === row.target && n === row.n);
      return this.withAttempts(row, own);
    });
  }

  /** Those of the keys that are stored, in no particular order. */
  async byKeys(keys: readonly DeliveryKey[]): Promise<Delivery[]> {
    const rows = await this.rows().where(among(keys)).getRawMany<Row>();
    return rows.map((row) => this.present(row));
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
      .addSelect(['d.due_at AS "dueAt"', 'd.settled_at AS "settledAt"'])
      .addSelect(['d.last_status AS "lastStatus"', 'd.last_error AS "lastError"'])
      .addSelect(`${EDITED} AS edited`)
      .addSelect(['e.received_at AS "receivedAt"', 'e.type AS type', 'e.entity AS entity'])
      .addSelect(['t.id AS "targetId"', 't.name AS "targetName"'])
      .innerJoin('events', 'e', 'e.seq = d.event_seq')
      .innerJoin('targets', 't', 't.number = d.target_id');
  }

  private attempts(key: Partial<DeliveryKey>): Promise<AttemptEntity[]> {
    return this.source.getRepository(AttemptEntity).find({ where: key, order: { number: 'ASC' } });
  }

  /** @param attempts read after the row: what came in between is left out, as the row does not know of it */
  private withAttempts(row: Row, attempts: AttemptEntity[]): DeliveryDetail {
    const known = attempts.filter(({ number }) => number <= row.attempts);
    return { ...this.present(row), attempts: known.map(presentAttempt) };
  }

  private present(row: Row): Delivery {
    return presentDelivery(row, {
      hub: this.journal.hub,
      event: row,
      target: { id: row.targetId, name: row.targetName },
      inFlight: this.dispatcher.isInFlight(row),
      dueAt: row.dueAt === null ? null : this.bounds.shown(row.dueAt),
      ordered: (this.targets.byNumber(row.target)?.policy.ordering ?? 'none') !== 'none',
    });
  }

  private keyOf(id: string): DeliveryKey {
    const key = keyOfDeliveryId(id, this.journal.hub);
    if (key === null) throw deliveryUnknown(id);
    return key;
  }
}

const EDITED = `EXISTS (SELECT 1 FROM edited_bodies x
  WHERE x.event_seq = d.event_seq AND x.target_id = d.target_id AND x.n = d.n)`;

/** SQL for "one of these keys"; they are our own numbers, so nothing needs escaping. */
function among(keys: readonly DeliveryKey[]): string {
  if (keys.length === 0) return '1 = 0';
  return `(d.event_seq, d.target_id, d.n) IN (VALUES ${keys.map(({ seq, target, n }) => `(${seq}, ${target}, ${n})`).join(', ')})`;
}

const cursorKey = ({ seq, target, n }: DeliveryKey) => ({ seq0: seq, target0: target, n0: n });

export function deliveryUnknown(id: string): RelayError {
  return new RelayError('delivery_unknown', 404, `There is no delivery ${id}.`, {
    remedy: 'It may have been removed by retention; GET /api/v1/deliveries lists what is kept.',
  });
}
