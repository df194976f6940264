import { Agent } from 'undici';
import type { EventType } from '../../protocol/event-types';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import type { Notification } from '../../protocol/shapes';
import { type Clock, isoTime } from '../clock';
import type { SandboxLog } from '../sandbox-log';
import type { Attempt, Delivery } from './delivery';
import { Pauses } from './pauses';
import { type SignedNotification, sendAttempt } from './send-attempt';
import { signBody } from './sign-body';
import { Slots } from './slots';
import type { Webhook } from './webhooks';

const DELIVERIES_KEPT_PER_WEBHOOK = 100;

/** Attempts under way at a time towards one origin; one that hangs must not use up the process's sockets. */
const SLOTS_PER_ORIGIN = 128;

/** Sends notifications and repeats the failed ones as the document has it (6.3). */
export class Deliveries {
  // Undici's own time-outs are off: the five seconds are ours and run on the clock handed in.
  private readonly agent = new Agent({ connections: SLOTS_PER_ORIGIN, headersTimeout: 0, bodyTimeout: 0 });
  private readonly slots = new Map<string, Slots>();
  private readonly pauses: Pauses;
  private readonly running = new Set<Promise<void>>();
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: SandboxLog,
  ) {
    this.pauses = new Pauses(clock);
  }

  /** Notifications not yet delivered or given up. */
  get open(): number {
    return this.running.size;
  }

  /** Signs the notification and begins to deliver it. */
  start(webhook: Webhook, notification: Notification): void {
    const body = Buffer.from(JSON.stringify(notification));
    const signed = { url: new URL(webhook.url), body, signature: signBody(webhook.secret, body) };
    const { event, timestamp } = notification;
    const delivery: Delivery = { event, timestamp, state: 'sending', attempts: [] };
    webhook.deliveries.push(delivery);
    if (webhook.deliveries.length > DELIVERIES_KEPT_PER_WEBHOOK) webhook.deliveries.shift();
    const run = this.deliver(webhook, delivery, signed).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  /** Ends what is under way and waits until it has ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.pauses.endAll();
    await this.agent.destroy();
    await Promise.all(this.running);
  }

  // A delay counts from the failure of the attempt before it: the document (6.3) does not say from where.
  private async deliver(webhook: Webhook, delivery: Delivery, signed: SignedNotification): Promise<void> {
    const { activation } = webhook;
    for (const delaySeconds of ATTEMPT_DELAYS_SECONDS) {
      if (delaySeconds > 0) {
        delivery.state = 'waiting';
        await this.pauses.pause(delaySeconds * 1_000);
      }
      if (this.closed || webhook.activation !== activation) {
        delivery.state = 'stopped';
        return;
      }
      delivery.state = 'sending';
      const { outcome } = await this.attempt(webhook, delivery, signed);
      if (outcome.kind === 'answered' && outcome.status === 200) {
        delivery.state = 'delivered';
        return;
      }
    }
    delivery.state = 'failed';
  }

  private attempt(webhook: Webhook, delivery: Delivery, signed: SignedNotification): Promise<Attempt> {
    return this.slotsOf(signed.url.origin).run(async () => {
      const startedAt = this.clock.now();
      const outcome = await sendAttempt(this.agent, this.clock, signed);
      const attempt = {
        number: delivery.attempts.length + 1,
        at: isoTime(startedAt),
        durationMs: this.clock.now() - startedAt,
        outcome,
      };
      delivery.attempts.push(attempt);
      if (!this.closed) this.report(signed.url.origin, webhook.id, delivery.event, attempt);
      return attempt;
    });
  }

  private slotsOf(origin: string): Slots {
    const slots = this.slots.get(origin) ?? new Slots(SLOTS_PER_ORIGIN);
    this.slots.set(origin, slots);
    return slots;
  }

  private report(origin: string, webhookId: string, event: EventType, attempt: Attempt): void {
    this.log.add({
      kind: 'attempt',
      at: attempt.at,
      method: 'POST',
      origin,
      webhookId,
      event,
      attempt: attempt.number,
      outcome: attempt.outcome.kind,
      status: attempt.outcome.kind === 'answered' ? attempt.outcome.status : null,
      durationMs: attempt.durationMs,
    });
  }
}
