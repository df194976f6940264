import { Agent } from 'undici';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import type { Notification } from '../../protocol/shapes';
import { type Clock, isoTime } from '../clock';
import type { Quirks } from '../quirks/quirks';
import type { SandboxLog } from '../sandbox-log';
import type { Attempt, Delivery } from './delivery';
import { Delays } from './delays';
import { type SignedNotification, sendAttempt } from './send-attempt';
import { signBody, formatSignature } from './sign-body';
import type { Webhook } from './webhooks';

/** Concurrent attempts per origin; a receiver that hangs must not use up the process's sockets. */
const ATTEMPTS_PER_ORIGIN = 128;

/** Sends notifications and retries failed ones as the document says (6.3). */
export class Deliveries {
  // Undici's own timeouts are off: `sendAttempt` applies the five seconds on the injected clock.
  private readonly agent = new Agent({ connections: ATTEMPTS_PER_ORIGIN, headersTimeout: 0, bodyTimeout: 0 });
  private readonly semaphores = new Map<string, Semaphore>();
  private readonly delays: Delays;
  private readonly reorderBuffer: ReorderBuffer;
  private readonly running = new Set<Promise<void>>();
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: SandboxLog,
    private readonly quirks: Quirks,
    /** Called after each attempt, because the stored state has changed. */
    private readonly onChange: () => void,
  ) {
    this.delays = new Delays(clock);
    this.reorderBuffer = new ReorderBuffer(this.delays);
  }

  /** Notifications that are neither delivered nor failed. */
  get pendingCount(): number {
    return this.running.size;
  }

  /** Starts to deliver a notification. With the faults on, it is sent twice or held until the next one. */
  start(webhook: Webhook, notification: Notification): void {
    const copies = this.quirks.takeFault('notifications_duplicated') ? 2 : 1;
    const isReordered =
      !this.reorderBuffer.isHolding(webhook.id) && this.quirks.takeFault('notifications_reordered');
    const hold = isReordered ? this.reorderBuffer.hold(webhook.id) : undefined;
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
      this.run(webhook, delivery, hold);
    }
  }

  /** Continues the pending deliveries of an earlier run; overdue attempts are made immediately. */
  resume(webhooks: readonly Webhook[]): void {
    for (const webhook of webhooks) {
      for (const delivery of webhook.deliveries.allPending()) this.run(webhook, delivery);
    }
  }

  /** Aborts pending deliveries and waits until they have ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.delays.endAll();
    await this.agent.destroy();
    await Promise.all(this.running);
  }

  private run(webhook: Webhook, delivery: Delivery, hold?: Promise<void>): void {
    const run = this.deliver(webhook, delivery, hold).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private async deliver(
    webhook: Webhook,
    delivery: Delivery,
    hold: Promise<void> | undefined,
  ): Promise<void> {
    if (hold) await hold;
    while (delivery.nextAttemptAt !== null) {
      const waitMs = Date.parse(delivery.nextAttemptAt) - this.clock.now();
      if (waitMs > 0) {
        delivery.state = 'retrying';
        await this.delays.delay(waitMs);
      }
      if (this.closed || !webhook.deliveries.isPending(delivery)) return;
      delivery.state = 'sending';
      const attempt = await this.attempt(webhook, delivery);
      if (!hold) this.reorderBuffer.release(webhook.id);
      // Aborted by close(), so the outcome is unknown: the next start repeats the attempt.
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

  // The document does not show what the delay is relative to (6.3).
  private dueAt({ attempts }: Delivery, delaySeconds: number): number {
    const isFromFirst = this.quirks.current.retry_delay === 'since_first_attempt';
    const first = isFromFirst ? attempts[0] : undefined;
    return (first ? Date.parse(first.at) : this.clock.now()) + delaySeconds * 1_000;
  }

  private attempt(webhook: Webhook, delivery: Delivery): Promise<Attempt> {
    const url = new URL(webhook.url);
    // Read before waiting for the semaphore: deleting the webhook empties its deliveries.
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
    const { signature_header, signature_format, retry_timestamp } = this.quirks.current;
    const hasNewTimestamp = attempt > 1 && retry_timestamp === 'new';
    const sent = hasNewTimestamp ? JSON.stringify({ ...JSON.parse(text), timestamp: isoTime(now) }) : text;
    const body = Buffer.from(sent);
    const value = formatSignature(signBody(secret, body), signature_format, now);
    return { body, signature: [signature_header, value] };
  }

  private semaphoreOf(origin: string): Semaphore {
    const semaphore = this.semaphores.get(origin) ?? new Semaphore(ATTEMPTS_PER_ORIGIN);
    this.semaphores.set(origin, semaphore);
    return semaphore;
  }

  private logAttempt(webhook: Webhook, { event }: Delivery, attempt: Attempt): void {
    const { outcome } = attempt;
    this.log.add({
      kind: 'attempt',
      at: attempt.at,
      method: 'POST',
      origin: new URL(webhook.url).origin,
      webhookId: webhook.id,
      event,
      attempt: attempt.number,
      outcome: outcome.kind,
      status: outcome.kind === 'response' ? outcome.status : null,
      code: outcome.kind === 'unreachable' ? outcome.code : null,
      durationMs: attempt.durationMs,
    });
  }
}

/** Limits concurrency; excess work waits in order. */
class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private available: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.available > 0) this.available--;
    else await new Promise<void>((enter) => this.waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.available++;
    }
  }
}

/** The next notification may never come. */
const MAX_HOLD_MS = 3_000;

/** Swaps consecutive notifications: holds one per webhook until the next one has been attempted. */
class ReorderBuffer {
  private readonly held = new Map<string, () => void>();

  constructor(private readonly delays: Delays) {}

  isHolding(webhookId: string): boolean {
    return this.held.has(webhookId);
  }

  /** Resolves when `release` is called for the webhook, or after `MAX_HOLD_MS`. */
  async hold(webhookId: string): Promise<void> {
    await this.delays.delay(MAX_HOLD_MS, (end) => this.held.set(webhookId, end));
    this.held.delete(webhookId);
  }

  release(webhookId: string): void {
    this.held.get(webhookId)?.();
  }
}
