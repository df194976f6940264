import { Agent } from 'undici';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import type { Notification } from '../../protocol/shapes';
import { type Clock, isoTime } from '../clock';
import type { Faults } from '../quirks/faults';
import type { LiveReadings } from '../quirks/readings';
import type { SandboxLog } from '../sandbox-log';
import type { Attempt, Delivery } from './delivery';
import { ReorderBuffer } from './reorder-buffer';
import { Delays } from './delays';
import { type SignedNotification, sendAttempt } from './send-attempt';
import { signBody, formatSignature } from './sign-body';
import { Semaphore } from './semaphore';
import type { Webhook } from './webhooks';

/** Attempts under way at a time towards one origin; one that hangs must not use up the process's sockets. */
const ATTEMPTS_PER_ORIGIN = 128;

/** Sends notifications and repeats the failed ones as the document has it (6.3). */
export class Deliveries {
  // Undici's own time-outs are off: the five seconds are ours and run on the clock handed in.
  private readonly agent = new Agent({ connections: ATTEMPTS_PER_ORIGIN, headersTimeout: 0, bodyTimeout: 0 });
  private readonly semaphores = new Map<string, Semaphore>();
  private readonly delays: Delays;
  private readonly reorderBuffer: ReorderBuffer;
  private readonly running = new Set<Promise<void>>();
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: SandboxLog,
    private readonly readings: LiveReadings,
    private readonly faults: Faults,
    /** Called after each attempt: there is something new to keep. */
    private readonly onChange: () => void,
  ) {
    this.delays = new Delays(clock);
    this.reorderBuffer = new ReorderBuffer(this.delays);
  }

  /** Notifications not yet delivered or given up. */
  get pendingCount(): number {
    return this.running.size;
  }

  /** Begins to deliver the notification. */
  start(webhook: Webhook, notification: Notification): void {
    const copies = this.faults.take('notifications_duplicated') ? 2 : 1;
    const isHeldBack = !this.reorderBuffer.isHeld(webhook.id) && this.faults.take('notifications_reordered');
    const turn = isHeldBack ? this.reorderBuffer.hold(webhook.id) : undefined;
    for (let copy = 0; copy < copies; copy++) {
      const delivery: Delivery = {
        event: notification.event,
        timestamp: notification.timestamp,
        state: 'sending',
        attempts: [],
        nextAttemptAt: isoTime(this.clock.now()),
        body: JSON.stringify(notification),
      };
      webhook.deliveries.add(delivery);
      this.run(webhook, delivery, turn);
    }
  }

  /** Goes on with what an earlier run of the sandbox left on its way; what came due meanwhile is sent at once. */
  resume(webhooks: readonly Webhook[]): void {
    for (const webhook of webhooks) {
      for (const delivery of webhook.deliveries.allPending()) this.run(webhook, delivery);
    }
  }

  /** Ends what is under way and waits until it has ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.delays.cancelAll();
    await this.agent.destroy();
    await Promise.all(this.running);
  }

  private run(webhook: Webhook, delivery: Delivery, turn?: Promise<void>): void {
    const run = this.deliver(webhook, delivery, turn).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private async deliver(
    webhook: Webhook,
    delivery: Delivery,
    turn: Promise<void> | undefined,
  ): Promise<void> {
    if (turn) await turn;
    while (delivery.nextAttemptAt !== null) {
      const waitMs = Date.parse(delivery.nextAttemptAt) - this.clock.now();
      if (waitMs > 0) {
        delivery.state = 'retrying';
        await this.delays.delay(waitMs);
      }
      if (this.closed || !webhook.deliveries.isPending(delivery)) return;
      delivery.state = 'sending';
      const attempt = await this.attempt(webhook, delivery);
      if (!turn) this.reorderBuffer.release(webhook.id);
      // Cut off by the close: nobody knows how it would have ended, so the next start makes it again.
      if (this.closed) return;
      delivery.attempts.push(attempt);
      if (webhook.deliveries.isPending(delivery)) this.recordOutcome(webhook, delivery, attempt);
      this.logAttempt(webhook, delivery, attempt);
      this.onChange();
    }
  }

  private recordOutcome(webhook: Webhook, delivery: Delivery, { outcome }: Attempt): void {
    const delaySeconds = ATTEMPT_DELAYS_SECONDS[delivery.attempts.length];
    const succeeded = outcome.kind === 'response' && outcome.status === 200;
    if (succeeded) webhook.deliveries.finish(delivery, 'delivered');
    else if (delaySeconds === undefined) webhook.deliveries.finish(delivery, 'failed');
    else delivery.nextAttemptAt = isoTime(this.dueAt(delivery, delaySeconds));
  }

  // From when a delay counts is not shown (document, 6.3).
  private dueAt({ attempts }: Delivery, delaySeconds: number): number {
    const isFromFirst = this.readings.now.retry_delay === 'since_first_attempt';
    const first = isFromFirst ? attempts[0] : undefined;
    return (first ? Date.parse(first.at) : this.clock.now()) + delaySeconds * 1_000;
  }

  private attempt(webhook: Webhook, delivery: Delivery): Promise<Attempt> {
    const url = new URL(webhook.url);
    // Taken before the wait for a slot: a webhook that is deleted meanwhile empties its deliveries.
    const text = delivery.body;
    return this.semaphoreOf(url.origin).run(async () => {
      const startedAt = this.clock.now();
      const number = delivery.attempts.length + 1;
      const signed = { url, ...this.sign(webhook, text, number) };
      const outcome = await sendAttempt(this.agent, this.clock, signed);
      return { number, at: isoTime(startedAt), durationMs: this.clock.now() - startedAt, outcome };
    });
  }

  private sign({ secret }: Webhook, text: string, attempt: number): Omit<SignedNotification, 'url'> {
    const now = this.clock.now();
    const { signature_header, signature_shape, retry_stamp } = this.readings.now;
    const isStampedAnew = attempt > 1 && retry_stamp === 'anew';
    const sent = isStampedAnew ? JSON.stringify({ ...JSON.parse(text), timestamp: isoTime(now) }) : text;
    const body = Buffer.from(sent);
    const value = formatSignature(signBody(secret, body), signature_shape, now);
    return { body, signature: [signature_header, value] };
  }

  private semaphoreOf(origin: string): Semaphore {
    const slots = this.semaphores.get(origin) ?? new Semaphore(ATTEMPTS_PER_ORIGIN);
    this.semaphores.set(origin, slots);
    return slots;
  }

  private logAttempt(webhook: Webhook, { event }: Delivery, attempt: Attempt): void {
    this.log.add({
      kind: 'attempt',
      at: attempt.at,
      method: 'POST',
      origin: new URL(webhook.url).origin,
      webhookId: webhook.id,
      event,
      attempt: attempt.number,
      outcome: attempt.outcome.kind,
      status: attempt.outcome.kind === 'response' ? attempt.outcome.status : null,
      durationMs: attempt.durationMs,
    });
  }
}
