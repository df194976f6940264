import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Subscription } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Log } from '../ground/log';
import { SubscriptionService } from '../subscription/subscription.service';
import { describeOutage, type OutageRow } from './describe-outage';
import { Expectation } from './expected-traffic';
import { Heartbeat } from './heartbeat';
import { judgeSilence } from './classify-silence';
import { Outages } from './outages';
import { Rhythm } from './traffic-baseline';

const LOOK_EVERY_MS = 10_000;

/**
 * Raises the alarm when nothing has arrived for unusually long, and ends it with the next notification, or when nothing can
 * arrive any more. It looks at counts in memory, away from the way of an event.
 */
@Injectable()
export class Silence implements OnModuleDestroy {
  private open: OutageRow | null = null;
  /** When the present silence began, by monotonic time: with the last notification, or when something could first arrive again. */
  private since: number | null = null;
  /** When a notification came that ends the silence on record, in ms since 1970. */
  private heardAt: number | null = null;
  private work: Promise<void> = Promise.resolve();
  private isRead = false;
  private started = false;

  constructor(
    private readonly rhythm: Rhythm,
    private readonly expectation: Expectation,
    private readonly outages: Outages,
    private readonly subscription: SubscriptionService,
    private readonly journal: Journal,
    private readonly heartbeat: Heartbeat,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    subscription.showAlso(() => ({ silence: this.current }));
    heartbeat.onAnew(() => (this.since = this.clock.monotonic()));
    rhythm.onNotification((at) => this.heard(at));
  }

  /** To be called once the daemon listens. */
  start(): void {
    this.started = true;
    void this.look();
  }

  @Interval(LOOK_EVERY_MS)
  look(): Promise<void> {
    return this.inTurn(() => this.judge());
  }

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    await this.work;
  }

  private get current(): Subscription['silence'] {
    if (this.open === null) return null;
    const { began_at: since, sentence } = describeOutage(this.open, this.clock.now());
    return { since, usual_seconds: this.open.usual_seconds ?? 0, sentence };
  }

  /** The window before the start comes first: it tells whether an earlier silence goes on. */
  private async readStored(): Promise<void> {
    await this.heartbeat.tick();
    this.open = await this.outages.openSilence();
    const { lastNotificationAt: last } = this.rhythm;
    if (last !== null && this.open !== null && last > this.open.began_at) this.heardAt ??= last;
    if (last !== null) this.since ??= this.clock.monotonic() - Math.max(0, this.clock.now() - last);
    this.isRead = true;
  }

  private heard(at: number): void {
    this.since = this.clock.monotonic();
    this.heardAt = at;
    if (this.open !== null) void this.inTurn(() => this.end(at));
  }

  private async judge(): Promise<void> {
    if (!this.isRead) await this.readStored();
    const now = this.clock.now();
    if (!this.expectation.current) {
      this.since = null;
      await this.end(now);
      return;
    }
    // What counts is how long it lasts, whatever the clock was set to meanwhile.
    const monotonic = this.clock.monotonic();
    this.since ??= monotonic;
    const since = Math.round(now - (monotonic - this.since));
    if (this.open !== null) {
      if (this.heardAt !== null) await this.end(this.heardAt);
      return;
    }
    const usualMs = judgeSilence(this.rhythm.counts, since, now);
    if (usualMs === null) return;
    this.heardAt = null;
    await this.journal.change(
      this.outages.insertion({
        kind: 'silence',
        began_at: since,
        ended_at: null,
        usual_seconds: Math.max(1, Math.round(usualMs / 1_000)),
      }),
    );
    await this.turn();
  }

  private async end(at: number): Promise<void> {
    if (this.open === null) return;
    const { id, began_at: beganAt } = this.open;
    await this.journal.change([
      ['UPDATE outages SET ended_at = ? WHERE id = ? AND ended_at IS NULL', [Math.max(at, beganAt), id]],
    ]);
    await this.turn();
  }

  private async turn(): Promise<void> {
    this.open = await this.outages.openSilence();
    this.subscription.tellChange();
    await this.outages.tell();
  }

  /** One after the other; what fails is tried again at the next look. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    if (!this.started) return this.work;
    this.work = this.work
      .then(work)
      .catch((error: unknown) => this.log.error({ err: error }, 'silence not recorded'));
    return this.work;
  }
}
