import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventDetail } from '../../contract/event';
import { Journal, type AppendOutcome, type EventDraft } from '../database/journal/journal';
import { DeliveriesService } from '../deliveries/deliveries.service';
import { planDeliveries } from '../deliveries/queue/plan-deliveries';
import { seqOfEventId } from '../ground/ids';
import { RelayError } from '../ground/relay-error';
import { TargetsService } from '../targets/targets.service';
import { EventEntity, isSystemEvent } from './event.entity';
import { EntityStatesQuery } from './entities/entity-states.query';
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
    const [duplicates, [ranked], deliveries, { isLate }] = await Promise.all([
      this.source.query<{ at: number }[]>(
        'SELECT received_at AS at FROM duplicates WHERE event_seq = ? ORDER BY n',
        [event.seq],
      ),
      this.source.query<{ ranks: string }[]>(
        `SELECT ${targetRanks({})} AS ranks FROM events e WHERE e.seq = ?`,
        [event.seq],
      ),
      this.deliveries.ofEvent(event.seq),
      this.states.before(event),
    ]);
    const { body, webhookId, contentType, headers, ...parts } = event;
    const counted = {
      sizeBytes: body.length,
      duplicates: duplicates.length,
      ...countTargets(ranked!.ranks),
    };
    return {
      ...presentEvent({ ...parts, ...counted }, this.journal.instanceId),
      webhook_id: webhookId,
      content_type: contentType,
      headers,
      verification: isSystemEvent(event) ? null : { header: event.signatureHeader, algorithm: 'hmac-sha256' },
      late: isLate,
      duplicate_times: duplicates.map(({ at }) => new Date(at).toISOString()),
      deliveries,
    };
  }

  /** The stored row with its body. @throws RelayError `event_unknown`, 404 */
  async find(id: string): Promise<EventEntity> {
    const seq = seqOfEventId(id, this.journal.instanceId);
    const event = seq === null ? null : await this.source.getRepository(EventEntity).findOneBy({ seq });
    if (event !== null) return event;
    throw eventUnknown(id);
  }
}

export const eventUnknown = (id: string) =>
  new RelayError('event_unknown', 404, `There is no event ${id}.`, {
    remedy: 'Retention may have removed it; GET /api/v1/events lists the stored events.',
  });
