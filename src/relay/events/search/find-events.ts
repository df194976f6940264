import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { EventNarrowing, EventQuery, EventSummary } from '../../../contract/event';
import type { Page } from '../../../contract/page';
import { Journal } from '../../database/journal';
import { Reader, type RequestSignal } from '../../database/reader';
import { walkSeqs, type Found, type SeqOrder, type SeqRange } from '../../database/walk-seqs';
import { eventId, seqOfEventId } from '../../ground/ids';
import { RelayError } from '../../ground/relay-error';
import { EventIndexes } from './event-indexes';
import { EventEntity } from '../event.entity';
import { eventUnknown } from '../events.service';
import { STATUS_RANK, statusOfRank } from './event-status';
import { narrowQuery } from './narrow-query';
import { presentEvent, type SummaryParts } from '../present-event';

/** For so long one page looks for events that match; where they are rarer, it ends with fewer. */
const LOOK_MS = 2_000;

type Row = Omit<SummaryParts, 'status'> & { statusRank: number };

/** The list of events, newest first by `seq`. */
@Injectable()
export class FindEvents {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly indexes: EventIndexes,
  ) {}

  /** A page may have fewer events than asked for and yet a next one: where much had to be looked at for little. */
  async find({ limit, cursor, ...wanted }: EventQuery, signal?: RequestSignal): Promise<Page<EventSummary>> {
    const before = cursor === undefined ? Infinity : this.seqOfCursor(cursor);
    const range = await this.stored({ after: 0, before }, signal);
    const deadline = performance.now() + LOOK_MS;
    const found: EventSummary[] = [];
    for await (const { rows, at } of this.walk(wanted, range, 'newest first', limit + 1, signal)) {
      found.push(...rows);
      if (found.length > limit) {
        const page = found.slice(0, limit);
        return { data: page, next_cursor: page.at(-1)!.id };
      }
      // A cursor stands for its `seq` alone, be there such an event or not.
      if (performance.now() > deadline && at - range.after > 1)
        return { data: found, next_cursor: eventId(0, at, this.journal.instanceId) };
    }
    return { data: found, next_cursor: null };
  }

  /** The events of a range that are wanted, in order: at most `limit` to a read. */
  async *walk(
    wanted: EventNarrowing,
    range: SeqRange,
    order: SeqOrder,
    limit: number,
    signal?: RequestSignal,
  ): AsyncGenerator<Found<EventSummary>> {
    const index = await this.indexes.for(wanted, signal);
    const rows = () => narrowQuery(this.rows(), wanted);
    const { reader } = this;
    for await (const found of walkSeqs<Row>({
      range,
      order,
      index,
      limit,
      rows,
      by: ['e.seq'],
      reader,
      signal,
    }))
      yield { rows: found.rows.map((row) => this.present(row)), at: found.at };
  }

  /** What of a range there is something in. */
  async stored({ after, before }: SeqRange, signal?: RequestSignal): Promise<SeqRange> {
    const [ends] = await this.reader.all<{ oldest: number | null; newest: number | null }>(
      ['SELECT (SELECT min(seq) FROM events) AS oldest, (SELECT max(seq) FROM events) AS newest', []],
      signal,
    );
    return {
      after: Math.max(after, (ends?.oldest ?? 1) - 1),
      before: Math.min(before, (ends?.newest ?? 0) + 1),
    };
  }

  /** The events that follow `seq`, oldest first. */
  async after(seq: number, limit: number): Promise<EventSummary[]> {
    const rows = this.rows().where('e.seq > :seq', { seq }).orderBy('e.seq', 'ASC').limit(limit);
    return (await this.reader.all<Row>(rows.getQueryAndParameters())).map((row) => this.present(row));
  }

  /** The events of these `seq`s that are stored, newest first. */
  async of(seqs: readonly number[], signal?: RequestSignal): Promise<EventSummary[]> {
    if (seqs.length === 0) return [];
    const rows = this.rows().where('e.seq IN (:...seqs)', { seqs });
    return (await this.read(rows, seqs.length, signal)).map((row) => this.present(row));
  }

  /** The bytes of one as they were received. @throws RelayError `event_unknown`, 404 */
  async body(id: string, signal?: RequestSignal): Promise<{ body: Uint8Array; contentType: string | null }> {
    const [event] = await this.reader.all<{ body: Uint8Array; contentType: string | null }>(
      [
        'SELECT body, content_type AS "contentType" FROM events WHERE seq = ?',
        [seqOfEventId(id, this.journal.instanceId)],
      ],
      signal,
    );
    if (event === undefined) throw eventUnknown(id);
    return event;
  }

  /** 0 before the first event. */
  async newestSeq(): Promise<number> {
    const [newest] = await this.reader.all<{ seq: number | null }>([
      'SELECT max(seq) AS seq FROM events',
      [],
    ]);
    return newest?.seq ?? 0;
  }

  private read(rows: SelectQueryBuilder<EventEntity>, limit: number, signal?: RequestSignal): Promise<Row[]> {
    return this.reader.all<Row>(rows.orderBy('e.seq', 'DESC').limit(limit).getQueryAndParameters(), signal);
  }

  private rows(): SelectQueryBuilder<EventEntity> {
    return this.source
      .createQueryBuilder(EventEntity, 'e')
      .select([
        'e.seq AS seq',
        'e.type AS type',
        'e.entity AS entity',
        'e.name AS name',
        'e.unreadable AS unreadable',
      ])
      .addSelect([
        'e.occurred_at AS "occurredAt"',
        'e.received_at AS "receivedAt"',
        'length(e.body) AS "sizeBytes"',
      ])
      .addSelect('(SELECT count(*) FROM duplicates c WHERE c.event_seq = e.seq) AS duplicates')
      .addSelect(`${STATUS_RANK} AS "statusRank"`);
  }

  private present({ statusRank, ...parts }: Row): EventSummary {
    return presentEvent({ ...parts, status: statusOfRank(statusRank) }, this.journal.instanceId);
  }

  private seqOfCursor(cursor: string): number {
    const seq = seqOfEventId(cursor, this.journal.instanceId);
    if (seq !== null) return seq;
    throw new RelayError('cursor_unknown', 400, 'The cursor is not one that this list gave.', {
      remedy: 'Pass the next_cursor of the page before, or none for the first page.',
    });
  }
}
