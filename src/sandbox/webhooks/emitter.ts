import type { EventType } from '../../protocol/event-types';
import { type Clock, isoTime } from '../clock';
import type { RandomBytes } from '../random';
import type { Deliveries } from './deliveries';
import type { Crm } from '../crm/crm';
import type { Webhooks } from './webhooks';
import { WorkingDay } from '../crm/working-day';

/** An event and the active webhooks that are subscribed to it. */
export interface EmittedEvent {
  event: EventType;
  timestamp: string;
  data: Record<string, unknown>;
  webhookIds: string[];
}

/** About 50 MB. Above this no events are generated. */
const MAX_PENDING_DELIVERIES = 50_000;

/** Generates events in the CRM and notifies the subscribed webhooks. */
export class Emitter {
  private readonly workingDay: WorkingDay;

  constructor(
    private readonly crm: Crm,
    private readonly webhooks: Webhooks,
    private readonly deliveries: Deliveries,
    private readonly clock: Clock,
    random: RandomBytes,
  ) {
    this.workingDay = new WorkingDay(crm, random);
  }

  /** Generates one event; `overrides` replace fields of its `data`. */
  emit(event: EventType, overrides: Record<string, unknown> = {}): EmittedEvent {
    return this.notify(event, { ...this.crm.generate(event), ...overrides });
  }

  /** Sends the notification of an event (document, 6.2) to the subscribed webhooks. */
  notify(event: EventType, record: object): EmittedEvent {
    const data = { ...record };
    const timestamp = isoTime(this.clock.now());
    const subscribers = this.webhooks.subscribedTo(event);
    for (const webhook of subscribers) {
      this.deliveries.start(webhook, { event, timestamp, webhook_id: webhook.id, data });
    }
    return { event, timestamp, data, webhookIds: subscribers.map((webhook) => webhook.id) };
  }

  /** Generates the next event, unless too many deliveries are pending. */
  emitNext(): void {
    if (this.deliveries.pendingCount >= MAX_PENDING_DELIVERIES) return;
    const { event, data } = this.workingDay.nextEvent();
    this.notify(event, data);
  }
}
