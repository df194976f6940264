import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { DeadLetterQuery, DeathCause, DeathCauseQuery } from '../../../contract/dead-letter';
import type { Delivery, DeliveryDetail } from '../../../contract/delivery';
import type { Page } from '../../../contract/page';
import { Clock } from '../../ground/clock';
import { Journal, type ConcludeDraft, type ScheduleDraft, type Statement } from '../../database/journal';
import { readInChunks, type SeqChunk } from '../../database/read-in-chunks';
import { Reader, type RequestSignal } from '../../database/reader';
import { deliveryId, keyOfDeliveryId, type DeliveryKey } from '../../ground/ids';
import { RelayError } from '../../ground/relay-error';
import { TargetsService } from '../../targets/targets.service';
import { DeliveriesService, deliveryUnknown } from '../deliveries.service';
import { DeliveryEntity } from '../delivery.entity';
import { narrowDeliveries, type DeliveryFilter } from './narrow-deliveries';

/** Dead letters by their ids, or by what matches. */
export type Selection = DeliveryFilter & { ids?: string[] | undefined };

export interface DeadLetter extends DeliveryKey {
  lane: string | null;
  settledAt: number | null;
}

/** A delivery by hand or by replay of the same event answers for the dead one before it. */
const UNANSWERED = `NOT EXISTS (SELECT 1 FROM deliveries newer
  WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)`;

/** As the filter names it. */
const CAUSE = 'coalesce(CAST(d.last_status AS TEXT), d.last_error)';

/** What can be sent to again, and nothing has followed yet. */
const STANDING = `t.deleted_at IS NULL AND ${UNANSWERED}`;

interface CauseRow {
  targetId: string;
  targetName: string;
  error: string | null;
  deliveries: number;
  stopLanes: number;
  oldestAt: number;
  newestAt: number;
}

/** Deliveries that are given up, and what an operator does about them: sends them again, or lets them go. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one again, whatever became of it, at once and out of order, as a delivery of its own: what the first one still has
   * before it goes on untouched. Only one that stops its lane is followed in it: the new one takes its place.
   * @throws RelayError `delivery_unknown`, `target_unknown`, 404
   */
  async retry(id: string): Promise<DeliveryDetail> {
    const row = await this.rowOf(id);
    this.targets.byId((await this.deliveries.get(id)).target_id);
    const { statements, draft } = retryOf(row, this.clock.now());
    const { scheduled } = await this.journal.change(statements, [draft]);
    return this.deliveries.get(deliveryId(scheduled[0]!, this.journal.instanceId));
  }

  /**
   * Gives one up that is dead or still open; its lane goes on.
   * @throws RelayError `delivery_unknown`, 404; `delivery_finished`, 409
   */
  async discard(id: string, reason: string): Promise<DeliveryDetail> {
    const { seq, target, n } = await this.rowOf(id);
    const { concluded } = await this.journal.change(
      [],
      [],
      [discardOf({ seq, target, n }, reason, this.clock.now())],
    );
    if (concluded[0] !== null) return this.deliveries.get(id);
    throw new RelayError('delivery_finished', 409, `${id} is neither dead nor open.`, {
      remedy: 'Only those can be discarded; GET /api/v1/deliveries?status=dead lists the dead.',
    });
  }

  /** The newest event first. */
  list(query: DeadLetterQuery, signal?: RequestSignal): Promise<Page<Delivery>> {
    return this.deliveries.find({ ...query, status: 'dead' }, STANDING, signal);
  }

  /** How many ended in which way, by target, most first. */
  async causes(filter: DeathCauseQuery, signal?: RequestSignal): Promise<DeathCause[]> {
    const causes = new Map<string, CauseRow>();
    const of = (piece: SeqChunk) => {
      const query = within(this.standing(filter), piece)
        .select(['t.id AS "targetId"', 't.name AS "targetName"', `${CAUSE} AS error`])
        .addSelect(['count(*) AS deliveries', 'sum(d.settled_at IS NULL) AS "stopLanes"'])
        .addSelect(['min(d.created_at) AS "oldestAt"', 'max(d.created_at) AS "newestAt"'])
        .groupBy('t.id')
        .addGroupBy(CAUSE);
      return this.reader.all<CauseRow>(query.getQueryAndParameters(), signal);
    };
    for await (const rows of readInChunks(await this.span(), of)) {
      for (const row of rows) {
        const name = `${row.targetId} ${row.error}`;
        causes.set(name, together(causes.get(name), row));
      }
    }
    const mostFirst = (a: CauseRow, b: CauseRow) => b.deliveries - a.deliveries || b.newestAt - a.newestAt;
    return [...causes.values()].toSorted(mostFirst).map((cause) => ({
      target_id: cause.targetId,
      target_name: cause.targetName,
      error: cause.error,
      deliveries: cause.deliveries,
      stop_lanes: cause.stopLanes,
      oldest_at: new Date(cause.oldestAt).toISOString(),
      newest_at: new Date(cause.newestAt).toISOString(),
    }));
  }

  /** Those of the selection behind a key, in the order of their keys. */
  async after(
    selection: Selection,
    position: Pick<DeliveryKey, 'seq' | 'target'>,
    untilSeq: number,
    limit: number,
  ): Promise<DeadLetter[]> {
    const query = this.selected(selection, untilSeq)
      // One at most of an event stands at a target: what stands there now in place of the last one died after it.
      .andWhere('(d.event_seq, d.target_id) > (:afterSeq, :afterTarget)', {
        afterSeq: position.seq,
        afterTarget: position.target,
      })
      .orderBy('d.event_seq')
      .addOrderBy('d.target_id')
      .limit(limit);
    return this.reader.all<DeadLetter>(query.getQueryAndParameters());
  }

  async count(selection: Selection, untilSeq: number): Promise<number> {
    let count = 0;
    const of = (piece: SeqChunk) => {
      const query = within(this.selected(selection, untilSeq), piece).select('count(*)', 'count');
      return this.reader.all<{ count: number }>(query.getQueryAndParameters());
    };
    for await (const [row] of readInChunks(await this.span(), of)) count += row!.count;
    return count;
  }

  /** The events among which the dead letters are. */
  private async span(): Promise<SeqChunk> {
    const [ends] = await this.reader.all<{ oldest: number | null; newest: number | null }>([
      `SELECT (SELECT min(event_seq) FROM deliveries WHERE state = 'dead') AS oldest,
         (SELECT max(event_seq) FROM deliveries WHERE state = 'dead') AS newest`,
      [],
    ]);
    return { after: (ends?.oldest ?? 1) - 1, through: ends?.newest ?? 0 };
  }

  private selected({ ids, ...filter }: Selection, untilSeq: number): SelectQueryBuilder<DeliveryEntity> {
    const query = this.standing(filter)
      .select(['d.event_seq AS seq', 'd.target_id AS target', 'd.n AS n'])
      .addSelect(['d.lane AS lane', 'd.settled_at AS "settledAt"'])
      .andWhere('d.event_seq <= :untilSeq', { untilSeq });
    if (ids === undefined) return query;
    const keys = ids.flatMap((id) => keyOfDeliveryId(id, this.journal.instanceId) ?? []);
    const values = keys.map(({ seq, target, n }) => `(${seq}, ${target}, ${n})`);
    return query.andWhere(
      values.length === 0 ? '1 = 0' : `(d.event_seq, d.target_id, d.n) IN (VALUES ${values.join(', ')})`,
    );
  }

  private standing(filter: DeliveryFilter): SelectQueryBuilder<DeliveryEntity> {
    const query = this.source
      .createQueryBuilder(DeliveryEntity, 'd')
      .innerJoin('targets', 't', 't.number = d.target_id')
      .where(`d.state = 'dead' AND ${STANDING}`);
    // An event is read for its type alone.
    if (filter.type !== undefined) query.innerJoin('events', 'e', 'e.seq = d.event_seq');
    narrowDeliveries(query, filter, this.journal.instanceId);
    return query;
  }

  private async rowOf(id: string): Promise<DeliveryEntity> {
    const key = keyOfDeliveryId(id, this.journal.instanceId);
    const row = key === null ? null : await this.source.getRepository(DeliveryEntity).findOneBy({ ...key });
    if (row === null) throw deliveryUnknown(id);
    return row;
  }
}

const within = (query: SelectQueryBuilder<DeliveryEntity>, piece: SeqChunk) =>
  query.andWhere('d.event_seq > :after AND d.event_seq <= :through', piece);

function together(before: CauseRow | undefined, row: CauseRow): CauseRow {
  if (before === undefined) return row;
  return {
    ...row,
    deliveries: before.deliveries + row.deliveries,
    stopLanes: before.stopLanes + row.stopLanes,
    oldestAt: Math.min(before.oldestAt, row.oldestAt),
    newestAt: Math.max(before.newestAt, row.newestAt),
  };
}

/** A new delivery in place of one, and what makes way for it. */
export function retryOf(
  { seq, target, n, lane, ...row }: DeadLetter & { state?: string },
  at: number,
): { statements: Statement[]; draft: ScheduleDraft } {
  const draft: ScheduleDraft = { seq, target, trigger: 'manual', replayId: null, at, editedBody: n };
  const stopsLane = lane !== null && row.settledAt === null && (row.state ?? 'dead') === 'dead';
  if (!stopsLane) return { statements: [], draft };
  return {
    statements: [
      [
        `UPDATE deliveries SET settled_at = ? WHERE event_seq = ? AND target_id = ? AND n = ? AND state = 'dead'`,
        [at, seq, target, n],
      ],
    ],
    draft: { ...draft, lane },
  };
}

export const discardOf = (key: DeliveryKey, reason: string, at: number): ConcludeDraft => ({
  key,
  note: `Discarded: ${reason}`,
  at,
});
