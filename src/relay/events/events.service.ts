import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventDetail } from '../../contract/event';
import { repairOf } from '../database/journal/repair-of';
import { Journal, type AppendOutcome, type EventDraft } from '../database/journal/journal';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { planDeliveries } from '../deliveries/queue/plan-deliveries';
import { previousIn } from '../filters/body-conditions';
import type { Previous } from '../filters/compile-filter';
import { seqOfEventId } from '../ground/ids';
import { RelayError } from '../ground/relay-error';
import { TargetsService } from '../targets/targets.service';
import { EventEntity, isUnsigned } from './event.entity';
import { EntityStatesQuery, isLate } from './entities/entity-states.query';
import { countTargets, targetRanks } from './search/event-status';
import { presentEvent } from './present-event';

/** Stores events with a delivery for every target that accepts them, and reads single events. */
@Injectable()
export class EventsService {
  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly deliveries: DeliveriesService,
    private readonly states: EntityStatesQuery,
  ) {}

  /**
   * Resolves once the event is on disk, or it is certain that it will not be stored. `arrivedAt`: see {@link
   * Journal.append}.
   * @param content the parsed body, for the filters
   */
  record(draft: EventDraft, content: unknown, arrivedAt?: number): Promise<AppendOutcome> {
    const plan = () => planDeliveries(draft, this.targets.all(), content);
    return this.journal.append(draft, plan, arrivedAt);
  }

  /** @throws RelayError `event_unknown`, 404 */
  async get(id: string): Promise<EventDetail> {
    const event = await this.find(id);
    const [duplicates, [ranked], deliveries, erased, before] = await Promise.all([
      this.source.query<{ at: number }[]>(
        'SELECT received_at AS at FROM duplicates WHERE event_seq = ? ORDER BY n',
        [event.seq],
      ),
      this.source.query<{ ranks: string }[]>(
        `SELECT ${targetRanks({})} AS ranks FROM events e WHERE e.seq = ?`,
        [event.seq],
      ),
      this.deliveries.ofEvent(event.seq),
      this.erasureOf(event.seq),
      this.states.before([event.seq]),
    ]);
    const { body, webhookId, contentType, headers, ...parts } = event;
    const counted = {
      repairId: repairOf(event),
      sizeBytes: erased?.size ?? body.length,
      erasedAt: erased?.at ?? null,
      duplicates: duplicates.length,
      ...countTargets(ranked!.ranks),
    };
    return {
      ...presentEvent({ ...parts, ...counted }, this.journal.instanceId),
      webhook_id: webhookId,
      content_type: contentType,
      headers,
      verification: isUnsigned(event) ? null : { header: event.signatureHeader, algorithm: 'hmac-sha256' },
      late: [...before.values()].some(isLate),
      duplicate_times: duplicates.map(({ at }) => new Date(at).toISOString()),
      deliveries,
    };
  }

  /** When an event was erased, and the size of its body; null if it was not. */
  async erasureOf(seq: number): Promise<{ at: number; size: number } | null> {
    const sql = 'SELECT erased_at AS at, size FROM erased_events WHERE seq = ?';
    return (await this.source.query<{ at: number; size: number }[]>(sql, [seq]))[0] ?? null;
  }

  /** As `find`, of an event whose content is needed. @throws RelayError `event_unknown`, 404; `event_erased`, 410 */
  async findReadable(id: string): Promise<EventEntity> {
    const event = await this.find(id);
    if ((await this.erasureOf(event.seq)) !== null) throw eventErased(id);
    return event;
  }

  /** What filters compare an event with. */
  async previousOf({ seq }: Pick<EventEntity, 'seq'>): Promise<Previous> {
    const before = (await this.states.before([seq])).get(seq);
    return before === undefined
      ? null
      : previousIn({ knowledge: before.knowledge, body: before.previous?.body ?? null });
  }

  /** The stored row with its body. @throws RelayError `event_unknown`, 404 */
  async find(id: string): Promise<EventEntity> {
    const seq = seqOfEventId(id, this.journal.instanceId);
    const event = seq === null ? null : await this.source.getRepository(EventEntity).findOneBy({ seq });
    if (event !== null) return event;
    throw eventUnknown(id);
  }
}

export const eventErased = (id: string) =>
  new RelayError('event_erased', 410, `The content of ${id} was erased.`, {
    remedy: 'GET /api/v1/events/:id shows what is kept: its type, its times and its deliveries.',
  });

export const eventUnknown = (id: string) =>
  new RelayError('event_unknown', 404, `There is no event ${id}.`, {
    remedy: 'Retention may have removed it; GET /api/v1/events lists the stored events.',
  });
