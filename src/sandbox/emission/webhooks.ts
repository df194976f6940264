import type { EventType } from '../../protocol/event-types';
import type { WebhookRequest } from '../../protocol/shapes';
import { type RandomBytes, randomBelow } from '../random';
import type { Delivery } from './delivery';

/** A webhook as the service keeps it (document, 2.2). */
export interface Webhook {
  /** `wh_<digits>`. */
  readonly id: string;
  /** The application that made it, and alone sees it. */
  readonly clientId: string;
  /** As it was sent; a client finds its webhook by it. */
  url: string;
  readonly secret: string;
  events: readonly EventType[];
  /** Undefined while switched off. Anew at each switching on, so that what began before it does not go on after it. */
  activation: symbol | undefined;
  /** The latest notifications, oldest first. */
  readonly deliveries: Delivery[];
}

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
      activation: request.active ? Symbol('active') : undefined,
      deliveries: [],
    };
    this.byId.set(webhook.id, webhook);
    return webhook;
  }

  /** The webhook of this application with this id, if there is one. */
  find(clientId: string, id: string): Webhook | undefined {
    const webhook = this.byId.get(id);
    return webhook?.clientId === clientId ? webhook : undefined;
  }

  /** Those of one application, oldest first. */
  ofApplication(clientId: string): Webhook[] {
    return this.all().filter((webhook) => webhook.clientId === clientId);
  }

  all(): Webhook[] {
    return [...this.byId.values()];
  }

  /** Those that receive this event: active, and it is listed (document, 2.2 and 6.1). */
  listeningTo(type: EventType): Webhook[] {
    return this.all().filter((webhook) => webhook.activation && webhook.events.includes(type));
  }

  change(
    webhook: Webhook,
    changes: { url?: string | undefined; events?: EventType[] | undefined; active?: boolean | undefined },
  ): void {
    if (changes.url !== undefined) webhook.url = changes.url;
    if (changes.events) webhook.events = [...new Set(changes.events)];
    if (changes.active === false) webhook.activation = undefined;
    if (changes.active === true) webhook.activation ??= Symbol('active');
  }

  /** Removes it and ends its retries. */
  delete(webhook: Webhook): void {
    webhook.activation = undefined;
    this.byId.delete(webhook.id);
  }

  // Digits at random rather than counted: after a restart an id of before names nothing, not another's webhook.
  private newId(): string {
    const id = `wh_${1_000_000_000 + randomBelow(this.random, 9_000_000_000)}`;
    return this.byId.has(id) ? this.newId() : id;
  }
}
