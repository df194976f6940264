import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { EventQuery, EventSummary } from '../../contract/event';
import type { Page } from '../../contract/page';
import { bodyText } from '../database/body-text';
import { Journal } from '../database/journal';
import { Reader } from '../database/reader';
import { seqOfEventId } from '../ids';
import { RelayError } from '../relay-error';
import { EventEntity } from './event.entity';
import { rankOfStatus, STATUS_RANK, statusOfRank } from './event-status';
import { presentEvent, type SummaryParts } from './present-event';

type Row = Omit<SummaryParts, 'status'> & { statusRank: number };

/** The index tables that hold one entity's, or one type's, events in order. */
const INDEXES = { entity: 'event_entities', type: 'event_types' } as const;

/** The list of events, newest first by `seq`. */
@Injectable()
export class FindEvents {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
  ) {}

  async find(query: EventQuery): Promise<Page<EventSummary>> {
    const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : this.seqOfCursor(query.cursor);
    const rows = await this.rowsBefore(before, query, query.limit + 1);
    const page = rows.slice(0, query.limit).map((row) => this.present(row));
    return { data: page, next_cursor: rows.length > query.limit ? (page.at(-1)?.id ?? null) : null };
  }

  /** The events that follow `seq`, oldest first. */
  async after(seq: number, limit: number): Promise<EventSummary[]> {
    const rows = this.rows().where('e.seq > :seq', { seq }).orderBy('e.seq', 'ASC').limit(limit);
    return (await this.reader.all<Row>(rows.getQueryAndParameters())).map((row) => this.present(row));
  }

  /** The events of these `seq`s that are stored, newest first. */
  async of(seqs: readonly number[]): Promise<EventSummary[]> {
    if (seqs.length === 0) return [];
    const rows = this.rows().where('e.seq IN (:...seqs)', { seqs });
    return (await this.read(rows, seqs.length)).map((row) => this.present(row));
  }

  /** 0 before the first event. */
  async newestSeq(): Promise<number> {
    const [newest] = await this.reader.all<{ seq: number | null }>([
      'SELECT max(seq) AS seq FROM events',
      [],
    ]);
    return newest?.seq ?? 0;
  }

  /** The newest events are not indexed yet: first that tail is read, then what the index leads to. */
  private async rowsBefore(before: number, query: EventQuery, limit: number): Promise<Row[]> {
    const index = indexFor(query);
    if (index === null)
      return this.read(this.filtered(this.rows(), query).andWhere('e.seq < :before', { before }), limit);

    const [hub] = await this.source.query<{ through: number }[]>(
      'SELECT indexed_through AS through FROM hub',
    );
    const through = hub!.through;
    const tail = this.filtered(this.rows(), query).andWhere('e.seq < :before AND e.seq > :through', {
      before,
      through,
    });
    const newest = before > through ? await this.read(tail, limit) : [];
    if (newest.length === limit) return newest;

    const indexed = this.filtered(this.rows().innerJoin(INDEXES[index.column], 'x', 'x.seq = e.seq'), query)
      .andWhere(`x.${index.column} = :indexed AND x.seq < :before`, {
        indexed: index.value,
        before: Math.min(before, through + 1),
      })
      .orderBy('x.seq', 'DESC');
    const rest = await this.reader.all<Row>(indexed.limit(limit - newest.length).getQueryAndParameters());
    return [...newest, ...rest];
  }

  private read(rows: SelectQueryBuilder<EventEntity>, limit: number): Promise<Row[]> {
    return this.reader.all<Row>(rows.orderBy('e.seq', 'DESC').limit(limit).getQueryAndParameters());
  }

  private filtered(
    rows: SelectQueryBuilder<EventEntity>,
    query: EventQuery,
  ): SelectQueryBuilder<EventEntity> {
    const { type, entity, status, target, since, until, q } = query;
    if (type !== undefined && type.length > 0) {
      // LIKE knows no case: a type without a pattern is compared as it is, as along the index.
      const any = type.map((glob, i) =>
        isPattern(glob) ? `e.type LIKE :type${i} ESCAPE '!'` : `e.type = :type${i}`,
      );
      const values = type.map((glob, i) => [`type${i}`, isPattern(glob) ? likePattern(glob) : glob] as const);
      rows.andWhere(`(${any.join(' OR ')})`, Object.fromEntries(values));
    }
    if (entity !== undefined) rows.andWhere('e.entity = :entity', { entity });
    if (status !== undefined) rows.andWhere(`${STATUS_RANK} = :rank`, { rank: rankOfStatus(status) });
    if (target !== undefined) rows.andWhere(WENT_TO, { target });
    if (since !== undefined) rows.andWhere('e.received_at >= :since', { since });
    if (until !== undefined) rows.andWhere('e.received_at < :until', { until });
    if (q !== undefined)
      rows.andWhere(`${bodyText('e')} LIKE :text ESCAPE '!'`, { text: `%${escapeLike(lowerLatin(q))}%` });
    return rows;
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
    return presentEvent({ ...parts, status: statusOfRank(statusRank) }, this.journal.hub);
  }

  private seqOfCursor(cursor: string): number {
    const seq = seqOfEventId(cursor, this.journal.hub);
    if (seq !== null) return seq;
    throw new RelayError('cursor_unknown', 400, 'The cursor is not one that this list gave.', {
      remedy: 'Pass the next_cursor of the page before, or none for the first page.',
    });
  }
}

const WENT_TO = `EXISTS (SELECT 1 FROM deliveries w JOIN targets t ON t.number = w.target_id
  WHERE w.event_seq = e.seq AND t.id = :target)`;

/** An entity's history, or one type, is read along its index; anything else by walking the events. */
function indexFor({ entity, type }: EventQuery): { column: keyof typeof INDEXES; value: string } | null {
  if (entity !== undefined) return { column: 'entity', value: entity };
  const [only, ...others] = type ?? [];
  if (only !== undefined && others.length === 0 && !isPattern(only)) return { column: 'type', value: only };
  return null;
}

/** As the database does it: it knows capitals of A to Z alone. */
const lowerLatin = (text: string) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

const isPattern = (glob: string) => glob.includes('*');

const escapeLike = (text: string) => text.replace(/[!%_]/g, '!$&');

const likePattern = (glob: string) => glob.split('*').map(escapeLike).join('%');
