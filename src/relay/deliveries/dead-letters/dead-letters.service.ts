import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { DeadLetterQuery } from '../../../contract/dead-letter';
import type { Delivery, DeliveryDetail, DeliveryJob } from '../../../contract/delivery';
import type { Page } from '../../../contract/page';
import { Clock } from '../../ground/clock';
import { Journal, type EndDraft, type ScheduleDraft } from '../../database/journal/journal';
import { readInChunks, type SeqInterval } from '../../database/reading/read-in-chunks';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { deliveryId, keyOfDeliveryId, type DeliveryKey } from '../../ground/ids';
import { RelayError } from '../../ground/relay-error';
import { namedTargets } from '../../targets/named-targets';
import { TargetsService } from '../../targets/targets.service';
import { assertNotErased } from '../assert-not-erased';
import { DeliveriesService, deliveryUnknown } from '../deliveries.service';
import { DeliveryEntity } from '../delivery.entity';
import { filterDeliveries, type DeliveryFilter } from './filter-deliveries';
import { IS_DEAD_LETTER } from '../../database/journal/delivery-conditions';

/** Selects dead letters by id, by filter, or by both; only those that had failed by a time in ms since 1970. */
export type Selection = DeliveryFilter & { ids?: string[] | undefined; failed_until?: number | undefined };

/** SQL: when a dead letter failed. One that blocks its lane has no `finished_at`, so its last attempt says it. */
export const FAILED_AT = `coalesce(d.finished_at, (
  SELECT a.at + a.duration_ms FROM attempts a WHERE a.event_seq = d.event_seq AND a.target_id = d.target_id
    AND a.n = d.n AND a.number = d.attempts), d.created_at)`;

/** The last dead letter that was processed. Written by an earlier version, it has no `n`. */
export type JobPosition = Pick<DeliveryKey, 'seq' | 'target'> & Partial<DeliveryKey>;

/** What is done to many dead letters. */
type Action = DeliveryJob['action'];

/** The target still exists, and no later delivery of the event, such as a retry or replay, replaces this one. */
const IS_CURRENT = `t.deleted_at IS NULL AND ${IS_DEAD_LETTER}`;

/** Deliveries that have failed permanently, and the operator's actions on them: retry and discard. */
@Injectable()
export class DeadLettersService {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a new delivery of the same event. The original delivery, which may be in any state, is not changed. The
   * new one is sent immediately and out of order; but if the original is a dead letter that stops its lane, the new
   * one takes its place in the lane.
   * @throws RelayError `delivery_unknown`, `target_unknown`, 404; `target_gone`, 409; `event_erased`, 410
   */
  async retry(id: string): Promise<DeliveryDetail> {
    const row = await this.rowOf(id);
    await assertNotErased(this.source, row.seq);
    namedTargets(this.targets, [(await this.deliveries.get(id)).target_id]);
    const { scheduled } = await this.journal.change({ schedule: [retryOf(row, this.clock.now())] });
    return this.deliveries.get(deliveryId(scheduled[0]!, this.journal.instanceId));
  }

  /**
   * Discards a dead or queued delivery; its lane continues.
   * @throws RelayError `delivery_unknown`, 404; `delivery_finished`, 409
   */
  async discard(id: string, reason: string): Promise<DeliveryDetail> {
    const { seq, target, n } = await this.rowOf(id);
    const { ended } = await this.journal.change({
      end: [discardOf({ seq, target, n }, reason, this.clock.now())],
    });
    if (ended[0] !== null) return this.deliveries.get(id);
    const detail = `The delivery ${id} is neither queued nor dead, so it cannot be discarded.`;
    throw new RelayError('delivery_finished', 409, detail, {
      remedy: 'GET /api/v1/dead-letters lists the dead letters.',
    });
  }

  /** Newest event first. */
  list(query: DeadLetterQuery, signal?: RequestSignal): Promise<Page<Delivery>> {
    return this.deliveries.find({ ...query, status: 'dead' }, IS_CURRENT, signal);
  }

  /**
   * The selected dead letters after a position, of events up to `untilSeq`, in order of event and target. Those of
   * targets that are gone cannot be retried.
   */
  async after(
    action: Action,
    selection: Selection,
    position: JobPosition,
    untilSeq: number,
    limit: number,
  ): Promise<DeliveryKey[]> {
    const query = this.selected(action, selection, untilSeq)
      .andWhere('(d.event_seq, d.target_id, d.n) > (:afterSeq, :afterTarget, :afterN)', {
        afterSeq: position.seq,
        afterTarget: position.target,
        // What is retried may become a dead letter again.
        afterN: action === 'discard' ? (position.n ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
      })
      .orderBy('d.event_seq')
      .addOrderBy('d.target_id')
      .addOrderBy('d.n')
      .limit(limit);
    return this.reader.all<DeliveryKey>(query.getQueryAndParameters());
  }

  /**
   * How many `after` finds in all.
   * @throws RelayError `target_unknown`, 404, or `target_gone`, 409, if a retry names the target or deliveries to it
   */
  async count(action: Action, selection: Selection, untilSeq: number): Promise<number> {
    if (action === 'retry') namedTargets(this.targets, this.targetsNamedBy(selection));
    let count = 0;
    const readChunk = (chunk: SeqInterval) => {
      const selected = this.selected(action, selection, untilSeq);
      const query = withinChunk(selected, chunk).select('count(*)', 'count');
      return this.reader.all<{ count: number }>(query.getQueryAndParameters());
    };
    for await (const [row] of readInChunks(await this.seqRange(), readChunk)) count += row!.count;
    return count;
  }

  /** The range of events that have dead letters. */
  async seqRange(): Promise<SeqInterval> {
    const [ends] = await this.reader.all<{ oldest: number | null; newest: number | null }>([
      `SELECT (SELECT min(event_seq) FROM deliveries WHERE state = 'dead') AS oldest,
         (SELECT max(event_seq) FROM deliveries WHERE state = 'dead') AS newest`,
      [],
    ]);
    return { after: (ends?.oldest ?? 1) - 1, through: ends?.newest ?? 0 };
  }

  private selected(
    action: Action,
    { ids, failed_until: failedUntil, ...filter }: Selection,
    untilSeq: number,
  ): SelectQueryBuilder<DeliveryEntity> {
    const query = this.current(filter)
      .select(['d.event_seq AS seq', 'd.target_id AS target', 'd.n AS n'])
      .andWhere('d.event_seq <= :untilSeq', { untilSeq });
    if (action === 'retry') query.andWhere('t.disabled_at IS NULL');
    if (failedUntil !== undefined) query.andWhere(`${FAILED_AT} <= :failedUntil`, { failedUntil });
    if (ids === undefined) return query;
    const values = this.keysOf(ids).map(({ seq, target, n }) => `(${seq}, ${target}, ${n})`);
    return query.andWhere(
      values.length === 0 ? '1 = 0' : `(d.event_seq, d.target_id, d.n) IN (VALUES ${values.join(', ')})`,
    );
  }

  /** The dead letters `d` of existing targets `t` that no later delivery replaces. */
  current(filter: DeliveryFilter): SelectQueryBuilder<DeliveryEntity> {
    const query = this.source
      .createQueryBuilder(DeliveryEntity, 'd')
      .innerJoin('targets', 't', 't.number = d.target_id')
      .where(`d.state = 'dead' AND ${IS_CURRENT}`);
    // Events are joined only to filter by type.
    if (filter.type !== undefined) query.innerJoin('events', 'e', 'e.seq = d.event_seq');
    filterDeliveries(query, filter, this.journal.instanceId);
    return query;
  }

  private targetsNamedBy({ target, ids = [] }: Selection): string[] {
    const ofDeliveries = this.keysOf(ids).flatMap((key) => this.targets.byNumber(key.target)?.id ?? []);
    return target === undefined ? ofDeliveries : [target, ...ofDeliveries];
  }

  private keysOf(ids: readonly string[]): DeliveryKey[] {
    return ids.flatMap((id) => keyOfDeliveryId(id, this.journal.instanceId) ?? []);
  }

  private async rowOf(id: string): Promise<DeliveryEntity> {
    const key = keyOfDeliveryId(id, this.journal.instanceId);
    const row = key === null ? null : await this.source.getRepository(DeliveryEntity).findOneBy({ ...key });
    if (row === null) throw deliveryUnknown(id);
    return row;
  }
}

export const withinChunk = (query: SelectQueryBuilder<DeliveryEntity>, chunk: SeqInterval) =>
  query.andWhere('d.event_seq > :after AND d.event_seq <= :through', chunk);

export const retryOf = ({ seq, target, n }: DeliveryKey, at: number): ScheduleDraft => ({
  seq,
  target,
  trigger: 'manual',
  replayId: null,
  at,
  retryOf: n,
});

export const discardOf = (key: DeliveryKey, reason: string, at: number): EndDraft => ({
  key,
  note: `Discarded: ${reason}`,
  at,
});
