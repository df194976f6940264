import { Agent } from 'undici';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import type { Notification } from '../../protocol/shapes';
import { type Clock, isoTime } from '../clock';
import type { Faults } from '../faults/faults';
import type { LiveReadings } from '../readings/readings';
import type { SandboxLog } from '../sandbox-log';
import type { Attempt, Delivery } from './delivery';
import { Neighbours } from './neighbours';
import { Pauses } from './pauses';
import { type SignedNotification, sendAttempt } from './send-attempt';
import { signBody, writeSignature } from './sign-body';
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
  private readonly neighbours: Neighbours;
  private readonly running = new Set<Promise<void>>();
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: SandboxLog,
    private readonly readings: LiveReadings,
    private readonly faults: Faults,
  ) {
    this.pauses = new Pauses(clock);
    this.neighbours = new Neighbours(this.pauses);
  }

  /** Notifications not yet delivered or given up. */
  get open(): number {
    return this.running.size;
  }

  /** Begins to deliver the notification. */
  start(webhook: Webhook, notification: Notification): void {
    const copies = this.faults.take('notifications_duplicated') ? 2 : 1;
    const isHeldBack = !this.neighbours.isHeld(webhook.id) && this.faults.take('notifications_reordered');
    const turn = isHeldBack ? this.neighbours.hold(webhook.id) : undefined;
    for (let copy = 0; copy < copies; copy++) {
      const { event, timestamp } = notification;
      const delivery: Delivery = { event, timestamp, state: 'sending', attempts: [] };
      webhook.deliveries.push(delivery);
      if (webhook.deliveries.length > DELIVERIES_KEPT_PER_WEBHOOK) webhook.deliveries.shift();
      const run = this.deliver(webhook, delivery, notification, turn).finally(() => this.running.delete(run));
      this.running.add(run);
    }
  }

  /** Ends what is under way and waits until it has ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.pauses.endAll();
    await this.agent.destroy();
    await Promise.all(this.running);
  }

  private async deliver(
    webhook: Webhook,
    delivery: Delivery,
    notification: Notification,
    turn: Promise<void> | undefined,
  ): Promise<void> {
    const { activation, url } = webhook;
    if (turn) await turn;
    for (const delaySeconds of ATTEMPT_DELAYS_SECONDS) {
      if (delaySeconds > 0) {
        delivery.state = 'waiting';
        await this.pauses.pause(this.dueAt(delivery, delaySeconds) - this.clock.now());
      }
      if (this.closed || webhook.activation !== activation) {
        delivery.state = 'stopped';
        return;
      }
      delivery.state = 'sending';
      const { outcome } = await this.attempt(webhook, delivery, new URL(url), notification);
      if (!turn) this.neighbours.release(webhook.id);
      if (outcome.kind === 'answered' && outcome.status === 200) {
        delivery.state = 'delivered';
        return;
      }
    }
    delivery.state = 'failed';
  }

  // From when a delay counts is not shown (document, 6.3).
  private dueAt({ attempts }: Delivery, delaySeconds: number): number {
    const isFromFirst = this.readings.now.retry_delay === 'since_first_attempt';
    const first = isFromFirst ? attempts[0] : undefined;
    return (first ? Date.parse(first.at) : this.clock.now()) + delaySeconds * 1_000;
  }

  private attempt(
    webhook: Webhook,
    delivery: Delivery,
    url: URL,
    notification: Notification,
  ): Promise<Attempt> {
    return this.slotsOf(url.origin).run(async () => {
      const startedAt = this.clock.now();
      const number = delivery.attempts.length + 1;
      const signed = this.sign(webhook, url, notification, number);
      const outcome = await sendAttempt(this.agent, this.clock, signed);
      const durationMs = this.clock.now() - startedAt;
      const attempt = { number, at: isoTime(startedAt), durationMs, outcome };
      delivery.attempts.push(attempt);
      if (!this.closed) this.report(url.origin, webhook.id, delivery, attempt);
      return attempt;
    });
  }

  private sign(
    { secret }: Webhook,
    url: URL,
    notification: Notification,
    attempt: number,
  ): SignedNotification {
    const now = this.clock.now();
    const { signature_header, signature_shape, retry_stamp } = this.readings.now;
    const isStampedAnew = attempt > 1 && retry_stamp === 'anew';
    const sent = isStampedAnew ? { ...notification, timestamp: isoTime(now) } : notification;
    const body = Buffer.from(JSON.stringify(sent));
    const value = writeSignature(signBody(secret, body), signature_shape, now);
    return { url, body, signature: [signature_header, value] };
  }

  private slotsOf(origin: string): Slots {
    const slots = this.slots.get(origin) ?? new Slots(SLOTS_PER_ORIGIN);
    this.slots.set(origin, slots);
    return slots;
  }

  private report(origin: string, webhookId: string, { event }: Delivery, attempt: Attempt): void {
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
