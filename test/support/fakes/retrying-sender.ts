import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answered, WebhookSender } from './webhook-sender';
import { dealNotification, type Notification } from '../notification';
import { until } from '../until';

/** The waits before the second and the third attempt (document, 6.3). */
const WAITS_MS = [5_000, 25_000] as const;

const STEP_MS = 4;

export interface SentNotification extends Notification {
  attempts: Answered[];
  /** The answer that was a 200, or null. */
  acked: Answered | null;
}

/**
 * A sales floor: notifications at a steady rate, whatever becomes of the earlier ones, and for each the document's three
 * attempts with the same bytes. Only a 200 within five seconds ends the attempts early.
 */
export class RetryingSender {
  readonly notifications: SentNotification[] = [];
  private pending = 0;
  private running = false;
  private readonly ending = new AbortController();

  /** @param firstId deals are numbered from here, so that no two senders make the same bytes */
  constructor(
    private readonly client: WebhookSender,
    private readonly perSecond: number,
    private readonly webhookId: string,
    private readonly firstId = 1,
  ) {
    // Every notification that waits for its next attempt listens to it.
    setMaxListeners(0, this.ending.signal);
  }

  get acked(): SentNotification[] {
    return this.notifications.filter(({ acked }) => acked !== null);
  }

  start(): void {
    this.running = true;
    void this.emit();
  }

  /** Makes no new ones; those under way keep their remaining attempts. */
  stop(): void {
    this.running = false;
  }

  /** Resolves when every notification has been answered 200 or has used up its attempts. */
  async settled(withinMs: number): Promise<void> {
    await until('every notification is answered or given up', () => this.pending === 0, withinMs);
  }

  /** Waits until so many more have been answered 200. */
  more(count: number, withinMs: number): Promise<void> {
    const from = this.acked.length;
    return until(`${count} more are answered`, () => this.acked.length >= from + count, withinMs);
  }

  /** Drops what is still to be attempted. */
  abandon(): void {
    this.running = false;
    this.ending.abort();
  }

  private async emit(): Promise<void> {
    const started = performance.now();
    let made = 0;
    while (this.running) {
      const due = Math.floor(((performance.now() - started) / 1_000) * this.perSecond);
      for (; made < due; made += 1) void this.notify(this.firstId + made);
      await pause(STEP_MS);
    }
  }

  private async notify(id: number): Promise<void> {
    const sent: SentNotification = {
      ...dealNotification({ id, webhookId: this.webhookId }),
      attempts: [],
      acked: null,
    };
    this.notifications.push(sent);
    this.pending += 1;
    try {
      for (const wait of [0, ...WAITS_MS]) {
        if (wait > 0) await pause(wait, undefined, { signal: this.ending.signal });
        const answer = await this.client.send(sent.body);
        sent.attempts.push(answer);
        if (answer.status === 200) {
          sent.acked = answer;
          return;
        }
      }
    } catch (error) {
      if (!this.ending.signal.aborted) throw error;
    } finally {
      this.pending -= 1;
    }
  }
}
