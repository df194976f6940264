import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeadLetterCause, DeadLetterCauseQuery } from '../../../contract/dead-letter';
import { IS_DEAD_LETTER } from '../../database/journal/delivery-conditions';
import { Journal, type AttemptRecord } from '../../database/journal/journal';
import { readInChunks, type SeqInterval } from '../../database/reading/read-in-chunks';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { Clock } from '../../ground/clock';
import { deliveryId, eventId, type DeliveryKey } from '../../ground/ids';
import { DeliveryEntity } from '../delivery.entity';
import { presentAttempt } from '../present-delivery';
import { DeadLettersService, FAILED_AT, withinChunk } from './dead-letters.service';
import { toIso } from '../../ground/iso-time';

/** What dead letters are grouped by: an HTTP status or an error name, as in the parameter `error`. */
const CAUSE = 'coalesce(CAST(d.last_status AS TEXT), d.last_error)';

const HOUR_MS = 3_600_000;
const HOURS = 24;

interface Counts {
  targetId: string;
  targetNumber: number;
  targetName: string;
  error: string | null;
  deliveries: number;
  stopLanes: number;
  oldestAt: number;
  newestAt: number;
  firstFailedAt: number;
  lastFailedAt: number;
  newestSeq: number;
}

/** The counts of one hour; -1 is everything before the last 24. */
type Row = Counts & { hour: number };
type Cause = Counts & { byHour: number[] };
interface Newest extends DeliveryKey, Omit<AttemptRecord, 'number'> {
  receivedAt: number;
  cause: string | null;
  /** Null without an attempt. */
  number: number | null;
}

/** Groups the dead letters by target and cause, with the evidence of each. */
@Injectable()
export class DeadLetterCausesQuery {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly deadLetters: DeadLettersService,
    private readonly clock: Clock,
  ) {}

  /** The largest first. */
  async find(filter: DeadLetterCauseQuery, signal?: RequestSignal): Promise<DeadLetterCause[]> {
    const found = new Map<string, Cause>();
    const since = this.clock.now() - HOURS * HOUR_MS;
    const hour = `CASE WHEN ${FAILED_AT} >= :dayStart THEN (${FAILED_AT} - :dayStart) / ${HOUR_MS} ELSE -1 END`;
    const readChunk = (chunk: SeqInterval) => {
      const query = withinChunk(this.deadLetters.current(filter), chunk)
        .select(['t.id AS "targetId"', 't.number AS "targetNumber"', 't.name AS "targetName"'])
        .addSelect([`${CAUSE} AS error`, `${hour} AS hour`, 'count(*) AS deliveries'])
        .addSelect([
          'count(*) FILTER (WHERE d.finished_at IS NULL) AS "stopLanes"',
          'max(d.event_seq) AS "newestSeq"',
        ])
        .addSelect(['min(d.created_at) AS "oldestAt"', 'max(d.created_at) AS "newestAt"'])
        .addSelect([`min(${FAILED_AT}) AS "firstFailedAt"`, `max(${FAILED_AT}) AS "lastFailedAt"`])
        .groupBy('t.number')
        .addGroupBy(CAUSE)
        .addGroupBy(hour)
        .setParameter('dayStart', since);
      return this.reader.all<Row>(query.getQueryAndParameters(), signal);
    };
    for await (const rows of readInChunks(await this.deadLetters.seqRange(), readChunk)) {
      for (const row of rows) {
        const key = `${row.targetId} ${row.error}`;
        found.set(key, merge(found.get(key), row));
      }
    }
    const byCount = (a: Cause, b: Cause) => b.deliveries - a.deliveries || b.newestAt - a.newestAt;
    const causes = [...found.values()].toSorted(byCount);
    const newest = await this.newestOf(causes, signal);
    // One that was retried or removed since the count may be missing.
    return causes.flatMap((cause) => {
      const row = newest.get(`${cause.newestSeq} ${cause.targetNumber} ${cause.error}`);
      return row === undefined ? [] : [this.present(cause, row)];
    });
  }

  /** By event, target and cause: the newest dead letter of each cause, with its last attempt. */
  private async newestOf(causes: readonly Cause[], signal?: RequestSignal): Promise<Map<string, Newest>> {
    if (causes.length === 0) return new Map();
    const keys = causes.map(({ newestSeq, targetNumber }) => `(${newestSeq}, ${targetNumber})`);
    const query = this.source
      .createQueryBuilder(DeliveryEntity, 'd')
      .select(['d.event_seq AS seq', 'd.target_id AS target', 'd.n AS n', 'e.received_at AS "receivedAt"'])
      .addSelect(`${CAUSE} AS cause`)
      .addSelect(['a.number AS number', 'a.at AS at', 'a.duration_ms AS "durationMs"'])
      .addSelect(['a.status AS status', 'a.error AS error', 'a.excerpt AS excerpt'])
      .addSelect('a.transform AS transform')
      .innerJoin('events', 'e', 'e.seq = d.event_seq')
      .leftJoin(
        'attempts',
        'a',
        'a.event_seq = d.event_seq AND a.target_id = d.target_id AND a.n = d.n AND a.number = d.attempts',
      )
      .where(
        `(d.event_seq, d.target_id) IN (VALUES ${keys.join(', ')}) AND d.state = 'dead' AND ${IS_DEAD_LETTER}`,
      );
    const rows = await this.reader.all<Newest>(query.getQueryAndParameters(), signal);
    return new Map(rows.map((row) => [`${row.seq} ${row.target} ${row.cause}`, row]));
  }

  private present(cause: Cause, newest: Newest): DeadLetterCause {
    const { instanceId } = this.journal;
    return {
      target_id: cause.targetId,
      target_name: cause.targetName,
      error: cause.error,
      deliveries: cause.deliveries,
      stop_lanes: cause.stopLanes,
      oldest_at: toIso(cause.oldestAt),
      newest_at: toIso(cause.newestAt),
      first_failed_at: toIso(cause.firstFailedAt),
      last_failed_at: toIso(cause.lastFailedAt),
      by_hour: cause.byHour,
      newest: {
        delivery_id: deliveryId(newest, instanceId),
        event_id: eventId(newest.receivedAt, newest.seq, instanceId),
        attempt: newest.number === null ? null : presentAttempt({ ...newest, number: newest.number }),
      },
    };
  }
}

function merge(before: Cause | undefined, { hour, ...row }: Row): Cause {
  const byHour = before?.byHour ?? Array.from({ length: HOURS }, () => 0);
  // A dead letter of this moment may be later than the clock was read.
  if (hour >= 0) byHour[Math.min(hour, HOURS - 1)]! += row.deliveries;
  if (before === undefined) return { ...row, byHour };
  return {
    ...row,
    byHour,
    deliveries: before.deliveries + row.deliveries,
    stopLanes: before.stopLanes + row.stopLanes,
    oldestAt: Math.min(before.oldestAt, row.oldestAt),
    newestAt: Math.max(before.newestAt, row.newestAt),
    firstFailedAt: Math.min(before.firstFailedAt, row.firstFailedAt),
    lastFailedAt: Math.max(before.lastFailedAt, row.lastFailedAt),
    newestSeq: Math.max(before.newestSeq, row.newestSeq),
  };
}
