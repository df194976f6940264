import type { EventType } from '../../protocol/event-types';
import { type Clock, isoTime } from '../clock';
import type { RandomBytes } from '../random';
import type { Deliveries } from './deliveries';
import type { Crm } from '../crm/crm';
import type { Webhooks } from './webhooks';
import { WorkingDay } from '../crm/working-day';

/** An event that happened, and the webhooks it was sent to: those that are active and list it. */
export interface EmittedEvent {
  event: EventType;
  timestamp: string;
  data: Record<string, unknown>;
  webhookIds: string[];
}

/** Beyond this the sales floor stands still, about 50 MB of them. */
const MAX_PENDING_DELIVERIES = 50_000;

/** Lets events happen on the sales floor and notifies the webhooks that listen. */
export class Emitter {
  private readonly day: WorkingDay;

  constructor(
    private readonly crm: Crm,
    private readonly webhooks: Webhooks,
    private readonly deliveries: Deliveries,
    private readonly clock: Clock,
    random: RandomBytes,
  ) {
    this.day = new WorkingDay(crm, random);
  }

  /** One event, with `overrides` in place of fields of its `data`. */
  emit(event: EventType, overrides: Record<string, unknown> = {}): EmittedEvent {
    return this.notify(event, { ...this.crm.generate(event), ...overrides });
  }

  /** Tells the webhooks that listen of something that happened. The notification is that of the document, 6.2. */
  notify(event: EventType, data: Record<string, unknown>): EmittedEvent {
    const timestamp = isoTime(this.clock.now());
    const listening = this.webhooks.subscribedTo(event);
    for (const webhook of listening) {
      this.deliveries.start(webhook, { event, timestamp, webhook_id: webhook.id, data });
    }
    return { event, timestamp, data, webhookIds: listening.map((webhook) => webhook.id) };
  }

  /** Whatever happens next on the sales floor; nothing while too much is undelivered. */
  emitNext(): void {
    if (this.deliveries.pendingCount >= MAX_PENDING_DELIVERIES) return;
    const { event, data } = this.day.nextEvent();
    this.notify(event, { ...data });
  }
}
