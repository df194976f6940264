import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { AttemptOutcome, WebhookSender } from './webhook-sender';
import { dealNotification, type Notification } from '../notification';
import { until } from '../until';

/** The delays before the second and the third attempt (document, 6.3). */
const DELAYS_MS = [5_000, 25_000] as const;

/** How often the notifications that are due are sent. */
const SEND_INTERVAL_MS = 4;

/**
 * Requests at a time, each with a connection. A daemon that has too little of the processor would get any number of them,
 * and at its limit of 2,000 closes those that are no notifications, such as the requests of a check.
 */
const MAX_UNANSWERED = 500;

export interface SentNotification extends Notification {
  attempts: AttemptOutcome[];
  /** The attempt that was answered with 200, or null. */
  acknowledgement: AttemptOutcome | null;
}

/**
 * Sends notifications at a constant rate as Co-Pilot does, or slower if they are not answered that fast: each in up to three
 * attempts with the same bytes, until one is answered with 200 within five seconds.
 */
export class RetryingSender {
  readonly notifications: SentNotification[] = [];
  private pending = 0;
  private running = false;
  /** Attempts that are made, and that wait until another one has been. */
  private unanswered = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly ending = new AbortController();

  /**
   * @param firstId the id of the first deal, so that no two senders create the same bytes
   * @param deals about so many deals; about a new one each time if it is not given
   */
  constructor(
    private readonly client: Pick<WebhookSender, 'send'>,
    private readonly perSecond: number,
    private readonly webhookId: string,
    private readonly firstId = 1,
    private readonly deals = Number.POSITIVE_INFINITY,
    /** By the number of a notification, what makes its body longer. */
    private readonly padding: (n: number) => string = () => '',
  ) {
    // Every notification that waits for its next attempt has a listener.
    setMaxListeners(0, this.ending.signal);
  }

  get acknowledged(): SentNotification[] {
    return this.notifications.filter(({ acknowledgement }) => acknowledgement !== null);
  }

  start(): void {
    this.running = true;
    void this.sendAtRate();
  }

  /** Sends no new notifications; those already sent keep their remaining attempts. */
  stop(): void {
    this.running = false;
  }

  /** Waits until every notification is acknowledged or has no attempts left. */
  async waitUntilFinished(withinMs?: number): Promise<void> {
    await until('every notification is acknowledged or out of attempts', () => this.pending === 0, withinMs);
  }

  /** Waits until `count` more notifications are acknowledged. */
  waitForAcknowledged(count: number, withinMs?: number): Promise<void> {
    const from = this.acknowledged.length;
    return until(`${count} more are acknowledged`, () => this.acknowledged.length >= from + count, withinMs);
  }

  /** Stops, and cancels all remaining attempts. */
  cancel(): void {
    this.running = false;
    this.ending.abort();
  }

  private async sendAtRate(): Promise<void> {
    const started = performance.now();
    let sent = 0;
    while (this.running) {
      const due = Math.floor(((performance.now() - started) / 1_000) * this.perSecond);
      for (; sent < due && this.unanswered < MAX_UNANSWERED; sent += 1) void this.notify(sent);
      await wait(SEND_INTERVAL_MS);
    }
  }

  private async notify(n: number): Promise<void> {
    const id = this.firstId + (n % this.deals);
    const notification: SentNotification = {
      ...dealNotification({
        id,
        name: `Deal ${this.firstId + n}${this.padding(n)}`,
        webhookId: this.webhookId,
      }),
      attempts: [],
      acknowledgement: null,
    };
    this.notifications.push(notification);
    this.pending += 1;
    try {
      for (const delayMs of [0, ...DELAYS_MS]) {
        if (delayMs > 0) await wait(delayMs, undefined, { signal: this.ending.signal });
        const response = await this.attempt(notification.body);
        notification.attempts.push(response);
        if (response.status === 200) {
          notification.acknowledgement = response;
          return;
        }
      }
    } catch (error) {
      if (!this.ending.signal.aborted) throw error;
    } finally {
      this.pending -= 1;
    }
  }

  private async attempt(body: Buffer): Promise<AttemptOutcome> {
    this.unanswered += 1;
    if (this.unanswered > MAX_UNANSWERED) await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      this.ending.signal.throwIfAborted();
      return await this.client.send(body);
    } finally {
      this.unanswered -= 1;
      this.waiting.shift()?.();
    }
  }
}
