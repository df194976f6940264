import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Erasure, ErasureCreate, ErasurePreview, ErasurePreviewQuery } from '../../contract/erasure';
import type { Page, PageQuery } from '../../contract/page';
import { ScheduledBackupsWorker } from '../backups/scheduled-backups.worker';
import { CAN_BE_ENDED, EVENTS_OF_ENTITY } from '../database/erasure-rules';
import { Journal } from '../database/journal/journal';
import { insert } from '../database/journal/statements';
import { Reader, type RequestSignal } from '../database/reading/reader';
import { EventsService } from '../events/events.service';
import { CountEventsQuery } from '../events/search/count-events.query';
import { FindEventsQuery } from '../events/search/find-events.query';
import { currentAction, setAuditAction, setAuditSubject } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { cutPage } from '../ground/cut-page';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { behindCursor, RelayError } from '../ground/relay-error';
import { presentErasure, SELECT_ERASURE, type ErasureRow } from './erasure-row';
import { ErasureWorker } from './erasure.worker';
import { MentioningRecords } from './mentioning-records';

const SAMPLES = 5;

/** Erases the content of events, of a single one or of all of an entity; what happened to them is kept. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly events: EventsService,
    private readonly finder: FindEventsQuery,
    private readonly counts: CountEventsQuery,
    private readonly records: MentioningRecords,
    private readonly worker: ErasureWorker,
    private readonly backups: ScheduledBackupsWorker,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** @throws RelayError `event_unknown`, 404; `event_erased`, 410; `filter_invalid`, 422 */
  async preview(query: ErasurePreviewQuery, signal?: RequestSignal): Promise<ErasurePreview> {
    const until = await this.finder.newestSeq();
    const { events, estimated, mentioned } = await this.count(query, until, signal);
    const { seq, entity = null } = await this.resolve(query);
    const [row] = await this.reader.all<{ queued: number; kept: number }>(
      [
        `SELECT count(*) AS queued, (SELECT count(*) FROM entity_floor WHERE entity = @entity) +
             (SELECT count(*) FROM repair_items WHERE entity = @entity) AS kept
           FROM deliveries d WHERE ${CAN_BE_ENDED}
             AND (d.event_seq = @seq OR d.event_seq IN (${EVENTS_OF_ENTITY}))`,
        [{ seq, entity, until }],
      ],
      signal,
    );
    return {
      until_seq: until,
      events,
      estimated,
      mentioned,
      states: row!.kept + (await this.records.count(query, signal)),
      queued: row!.queued,
      backups: await this.backups.holding(this.clock.now()),
    };
  }

  /** @throws RelayError `event_unknown`, 404; `event_erased`, 410; `filter_invalid`, 422 */
  async start({ reason, until_seq: untilSeq, ...query }: ErasureCreate): Promise<Erasure> {
    const until = Math.min(untilSeq, await this.finder.newestSeq());
    const { seq, entity = null } = await this.resolve(query);
    const { events, mentioned } = await this.count(query, until);
    const now = this.clock.now();
    const id = newId('ers', now, this.random);
    setAuditAction(entity === null ? 'event.erase' : 'entity.erase');
    setAuditSubject({ id, name: null });
    await this.journal.change({
      statements: [
        insert('erasures', {
          id,
          event_seq: seq,
          entity,
          mentions: query.mentions === undefined ? null : JSON.stringify(query.mentions),
          until_seq: until,
          reason,
          requested_by: JSON.stringify(currentAction()?.init.actor ?? null),
          state: 'erasing' satisfies Erasure['state'],
          total: events + (mentioned?.events ?? 0),
          created_at: now,
        }),
      ],
    });
    this.log.info({ erasure: id, events }, 'erasure started');
    this.worker.enqueue(id);
    return this.get(id);
  }

  /** Newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<Erasure>> {
    const before =
      cursor === undefined ? Number.MAX_SAFE_INTEGER : (await behindCursor(() => this.row(cursor))).number;
    const rows = await this.source.query<ErasureRow[]>(
      `${SELECT_ERASURE} WHERE r.number < ? ORDER BY r.number DESC LIMIT ?`,
      [before, limit + 1],
    );
    return cutPage(await Promise.all(rows.map((row) => this.present(row))), limit);
  }

  /** @throws RelayError `erasure_unknown`, 404 */
  async get(id: string): Promise<Erasure> {
    return this.present(await this.row(id));
  }

  private async present(row: ErasureRow): Promise<Erasure> {
    const backups = await this.backups.holding(row.erased_at ?? this.clock.now());
    return presentErasure(row, backups, this.journal.instanceId);
  }

  private async resolve({ event_id: id, entity }: ErasurePreviewQuery) {
    return { seq: id === undefined ? null : (await this.events.findReadable(id)).seq, entity };
  }

  private async count(
    { event_id: id, entity, mentions }: ErasurePreviewQuery,
    until: number,
    signal?: RequestSignal,
  ) {
    const range = { after: 0, before: until + 1 };
    const own =
      id === undefined
        ? await this.counts.countRange({ entity }, range, signal)
        : { count: 1, estimated: false };
    const counted = { events: own.count, estimated: own.estimated };
    if (mentions === undefined) return { ...counted, mentioned: null };
    const { count, estimated } = await this.counts.countRange({ payload: mentions }, range, signal);
    const { data: samples } = await this.finder.find({ payload: mentions, limit: SAMPLES }, signal);
    return { ...counted, mentioned: { events: count, estimated, samples } };
  }

  private async row(id: string): Promise<ErasureRow> {
    const [row] = await this.source.query<ErasureRow[]>(`${SELECT_ERASURE} WHERE r.id = ?`, [id]);
    if (row !== undefined) return row;
    throw new RelayError('erasure_unknown', 404, `There is no erasure ${id}.`, {
      remedy: 'GET /api/v1/erasures lists them.',
    });
  }
}
