import type { EventType } from '../../protocol/event-types';
import { type Clock, isoTime } from '../clock';
import type { RandomBytes } from '../random';
import type { Deliveries } from './deliveries';
import type { SalesFloor } from './sales-floor';
import type { Webhooks } from './webhooks';
import { WorkingDay } from './working-day';

/** An event that happened, and the webhooks it was sent to: those that are active and list it. */
export interface EmittedEvent {
  event: EventType;
  timestamp: string;
  data: Record<string, unknown>;
  webhookIds: string[];
}

/** Beyond this the sales floor stands still, about 50 MB of them. */
const DELIVERIES_OPEN_AT_MOST = 50_000;

/** Lets events happen on the sales floor and notifies the webhooks that listen. */
export class Emitter {
  private readonly day: WorkingDay;

  constructor(
    private readonly floor: SalesFloor,
    private readonly webhooks: Webhooks,
    private readonly deliveries: Deliveries,
    private readonly clock: Clock,
    random: RandomBytes,
  ) {
    this.day = new WorkingDay(floor, random);
  }

  /** One event, with `overrides` in place of fields of its `data`. */
  emit(event: EventType, overrides: Record<string, unknown> = {}): EmittedEvent {
    return this.notify(event, { ...this.floor.act(event), ...overrides });
  }

  /** Tells the webhooks that listen of something that happened. The notification is that of the document, 6.2. */
  notify(event: EventType, data: Record<string, unknown>): EmittedEvent {
    const timestamp = isoTime(this.clock.now());
    const listening = this.webhooks.listeningTo(event);
    for (const webhook of listening) {
      this.deliveries.start(webhook, { event, timestamp, webhook_id: webhook.id, data });
    }
    return { event, timestamp, data, webhookIds: listening.map((webhook) => webhook.id) };
  }

  /** Whatever happens next on the sales floor; nothing while too much is undelivered. */
  emitNext(): void {
    if (this.deliveries.open >= DELIVERIES_OPEN_AT_MOST) return;
    const { event, data } = this.day.goOn();
    this.notify(event, { ...data });
  }
}
