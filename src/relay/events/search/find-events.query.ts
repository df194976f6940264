import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { EventFilters, EventQuery, EventSummary, ListedEvent } from '../../../contract/event';
import type { Page } from '../../../contract/page';
import { Journal } from '../../database/journal/journal';
import { repairIn } from '../../database/journal/repair-of';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { NOT_ERASED } from '../../database/erasure-rules';
import { inJsonList } from '../../database/reading/dialect';
import type { FoundRows, SeqOrder, SeqRange } from '../../database/reading/walk-seqs';
import { eventId, seqOfEventId } from '../../ground/ids';
import { unknownCursor } from '../../ground/relay-error';
import { EventEntity } from '../event.entity';
import { eventErased, eventUnknown } from '../events.service';
import { ReadFieldsQuery } from './read-fields.query';
import { countTargets, targetRanks } from './event-status';
import type { Head } from './match-bodies';
import { MatchingEventsQuery } from './matching-events.query';
import { presentEvent, type SummaryParts } from '../present-event';
import { cutPage } from '../../ground/cut-page';

/** A page takes at most this long to find; after that it is returned with fewer events. */
const MAX_SEARCH_MS = 2_000;

/** Of the list, newest first. */
type ListQuery = Omit<EventQuery, 'after' | 'wait' | 'include'>;

type Row = Omit<SummaryParts, 'status' | 'targets'> & { ranks: string };

interface Body {
  type: string;
  body: Uint8Array;
  contentType: string | null;
}

const ERASED = (column: string) => `(SELECT ${column} FROM erased_events x WHERE x.seq = e.seq)`;

/** The columns of a `Row`, except for `seq`. */
const columns = (filters: EventFilters) => [
  'e.type AS type',
  'e.entity AS entity',
  'e.name AS name',
  'e.unreadable AS unreadable',
  'e.occurred_at AS "occurredAt"',
  'e.received_at AS "receivedAt"',
  `${repairIn('e')} AS "repairId"`,
  `${ERASED('erased_at')} AS "erasedAt"`,
  `coalesce(${ERASED('size')}, length(e.body)) AS "sizeBytes"`,
  '(SELECT count(*) FROM duplicates c WHERE c.event_seq = e.seq) AS duplicates',
  `${targetRanks(filters)} AS ranks`,
];

/** The list of events, newest first by `seq`. */
@Injectable()
export class FindEventsQuery {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly matching: MatchingEventsQuery,
    private readonly fields: ReadFieldsQuery,
  ) {}

  /**
   * A page may have fewer events than `limit` and still a next one, if matches are rare.
   * @throws RelayError `filter_invalid`, 422; `invalid_request`, 400
   */
  async find({ field, ...query }: ListQuery, signal?: RequestSignal): Promise<Page<ListedEvent>> {
    const page = await this.findPage(query, signal);
    return field === undefined ? page : { ...page, data: await this.fields.addTo(page.data, field, signal) };
  }

  private async findPage(
    { limit, cursor, ...filters }: Omit<ListQuery, 'field'>,
    signal?: RequestSignal,
  ): Promise<Page<EventSummary>> {
    const before = cursor === undefined ? Infinity : this.seqOfCursor(cursor);
    const range = await this.storedRange({ after: 0, before }, signal);
    const deadline = performance.now() + MAX_SEARCH_MS;
    const found: EventSummary[] = [];
    for await (const { rows, lastSeq: at } of this.walk(filters, range, 'newest first', limit + 1, signal)) {
      found.push(...rows);
      if (found.length > limit) return cutPage(found, limit);
      // Of a cursor only the `seq` is used: no event needs to have this id.
      if (performance.now() > deadline && at - range.after > 1)
        return { data: found, next_cursor: eventId(0, at, this.journal.instanceId) };
    }
    return { data: found, next_cursor: null };
  }

  /** The matching events of a range, in order, at most `limit` per read. */
  async *walk(
    filters: EventFilters,
    range: SeqRange,
    order: SeqOrder,
    limit: number,
    signal?: RequestSignal,
  ): AsyncGenerator<FoundRows<EventSummary>> {
    const walk = { filters, range, order, limit, columns: columns(filters), signal };
    for await (const found of this.matching.walk<Row & Head>(walk))
      yield { rows: found.rows.map((row) => this.present(row)), lastSeq: found.lastSeq };
  }

  /** A range limited to the stored events. */
  async storedRange({ after, before }: SeqRange, signal?: RequestSignal): Promise<SeqRange> {
    const [ends] = await this.reader.all<{ oldest: number | null; newest: number | null }>(
      ['SELECT (SELECT min(seq) FROM events) AS oldest, (SELECT max(seq) FROM events) AS newest', []],
      signal,
    );
    return {
      after: Math.max(after, (ends?.oldest ?? 1) - 1),
      before: Math.min(before, (ends?.newest ?? 0) + 1),
    };
  }

  /** The events after `seq`, oldest first. */
  async after(seq: number, limit: number): Promise<EventSummary[]> {
    const rows = this.rows().where('e.seq > :seq', { seq }).orderBy('e.seq', 'ASC').limit(limit);
    return (await this.reader.all<Row>(rows.getQueryAndParameters())).map((row) => this.present(row));
  }

  /** The stored events with these `seq`s, newest first. */
  async bySeqs(seqs: readonly number[], signal?: RequestSignal): Promise<EventSummary[]> {
    if (seqs.length === 0) return [];
    const rows = this.rows().where('e.seq IN (:...seqs)', { seqs }).orderBy('e.seq', 'DESC');
    return (await this.reader.all<Row>(rows.getQueryAndParameters(), signal)).map((row) => this.present(row));
  }

  /** The body as received. @throws RelayError `event_unknown`, 404; `event_erased`, 410 */
  async body(id: string, signal?: RequestSignal): Promise<Body> {
    const [event] = await this.reader.all<Body & { erasedAt: number | null }>(
      [
        `SELECT type, body, content_type AS "contentType", ${ERASED('erased_at')} AS "erasedAt" FROM events e WHERE seq = ?`,
        [seqOfEventId(id, this.journal.instanceId)],
      ],
      signal,
    );
    if (event === undefined) throw eventUnknown(id);
    if (event.erasedAt !== null) throw eventErased(id);
    return event;
  }

  /** The bodies of those of the events that are stored and were not erased, by `seq`. */
  async bodies(seqs: readonly number[], signal?: RequestSignal): Promise<Map<number, Uint8Array>> {
    const rows = await this.reader.all<{ seq: number; body: Uint8Array }>(
      [`SELECT seq, body FROM events e WHERE seq ${inJsonList()} AND ${NOT_ERASED}`, [JSON.stringify(seqs)]],
      signal,
    );
    return new Map(rows.map(({ seq, body }) => [seq, body]));
  }

  /** 0 before the first event. */
  async newestSeq(): Promise<number> {
    const [newest] = await this.reader.all<{ seq: number | null }>([
      'SELECT max(seq) AS seq FROM events',
      [],
    ]);
    return newest?.seq ?? 0;
  }

  private rows(): SelectQueryBuilder<EventEntity> {
    return this.source.createQueryBuilder(EventEntity, 'e').select(['e.seq AS seq', ...columns({})]);
  }

  private present({ ranks, ...parts }: Row): EventSummary {
    return presentEvent({ ...parts, ...countTargets(ranks) }, this.journal.instanceId);
  }

  private seqOfCursor(cursor: string): number {
    const seq = seqOfEventId(cursor, this.journal.instanceId);
    if (seq === null) throw unknownCursor();
    return seq;
  }
}
