import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '../../protocol/event-types';
import type { WebhookRequest } from '../../protocol/shapes';
import { type RandomBytes, randomBelow } from '../random';
import { storedDelivery } from './delivery';
import { DeliveryLog } from './delivery-log';

const storedWebhook = z.object({
  /** `wh_<digits>`. */
  id: z.string(),
  /** The application that created it; others cannot see it. */
  clientId: z.string(),
  /** Stored as received, so that clients can find their webhook by it. */
  url: z.string(),
  secret: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  active: z.boolean(),
  deliveries: z.array(storedDelivery),
});

/** A webhook (document, 2.2). */
export type Webhook = Omit<z.infer<typeof storedWebhook>, 'deliveries'> & { deliveries: DeliveryLog };

/** The webhooks of all applications. */
export class Webhooks {
  private readonly byId = new Map<string, Webhook>();

  constructor(private readonly random: RandomBytes) {}

  create(clientId: string, request: WebhookRequest): Webhook {
    const webhook: Webhook = {
      id: this.newId(),
      clientId,
      url: request.url,
      secret: request.secret,
      events: [...new Set(request.events)],
      active: request.active,
      deliveries: new DeliveryLog(),
    };
    this.byId.set(webhook.id, webhook);
    return webhook;
  }

  /** Undefined for webhooks of other applications. */
  find(clientId: string, id: string): Webhook | undefined {
    const webhook = this.byId.get(id);
    return webhook?.clientId === clientId ? webhook : undefined;
  }

  /** Oldest first. */
  ofApplication(clientId: string): Webhook[] {
    return this.all().filter((webhook) => webhook.clientId === clientId);
  }

  all(): Webhook[] {
    return [...this.byId.values()];
  }

  /** The active webhooks that list this event type (document, 2.2 and 6.1). */
  subscribedTo(type: EventType): Webhook[] {
    return this.all().filter((webhook) => webhook.active && webhook.events.includes(type));
  }

  change(
    webhook: Webhook,
    changes: { url?: string | undefined; events?: EventType[] | undefined; active?: boolean | undefined },
  ): void {
    if (changes.url !== undefined) webhook.url = changes.url;
    if (changes.events) webhook.events = [...new Set(changes.events)];
    webhook.active = changes.active ?? webhook.active;
    // Retries of a disabled webhook do not continue when it is enabled again.
    if (!webhook.active) webhook.deliveries.cancelAll();
  }

  /** Also cancels its retries. */
  delete(webhook: Webhook): void {
    webhook.deliveries.cancelAll();
    this.byId.delete(webhook.id);
  }

  /** Includes the secrets, which sign notifications, and pending deliveries. */
  snapshot(): z.infer<typeof storedWebhook>[] {
    return this.all().map((webhook) => ({ ...webhook, deliveries: webhook.deliveries.all() }));
  }

  restore(snapshot: unknown): void {
    for (const webhook of z.array(storedWebhook).parse(snapshot)) {
      this.byId.set(webhook.id, { ...webhook, deliveries: new DeliveryLog(webhook.deliveries) });
    }
  }

  // Random instead of sequential, so that an id from before a restart never names another webhook.
  private newId(): string {
    const id = `wh_${1_000_000_000 + randomBelow(this.random, 9_000_000_000)}`;
    return this.byId.has(id) ? this.newId() : id;
  }
}
