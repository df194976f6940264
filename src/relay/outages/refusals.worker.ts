import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { LostReason } from '../../contract/stats';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { NotStoredWorker } from '../intake/not-stored.worker';
import { QUARTER_MS } from './detect-silence';
import { OutageStore } from './outage.store';

const TICK_MS = 1_000;

/** For these, a notification that was complete and signed was answered 413 or 503. */
const REFUSALS: ReadonlySet<LostReason> = new Set([
  'late',
  'overload',
  'too_large',
  'storage',
  'internal_error',
]);

/**
 * Records an outage when notifications were refused because they could not be stored: as soon as something can be stored
 * again, and at most one in a quarter of an hour, so that later refusals wait for the next.
 */
@Injectable()
export class RefusalsWorker implements OnModuleDestroy {
  /** In ms since 1970. */
  private refused: { since: number; until: number } | null = null;
  /** By monotonic time, when the last one was recorded. */
  private recordedAt = -Infinity;
  private canStore = false;
  private readonly runs = new NonOverlapping(
    () => this.record(),
    (error) => this.log.warn({ err: error }, 'refused notifications not recorded yet'),
  );

  constructor(
    private readonly notStored: NotStoredWorker,
    private readonly outages: OutageStore,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    notStored.onLost((reason) => this.add(reason));
    journal.onCommit(() => (this.canStore = true));
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.clock.monotonic() - this.recordedAt >= QUARTER_MS) await this.runs.run();
  }

  /** What has waited for its quarter of an hour is recorded. */
  async onModuleDestroy(): Promise<void> {
    this.notStored.report();
    await this.runs.run();
    await this.runs.stop();
  }

  private add(reason: LostReason): void {
    if (!REFUSALS.has(reason)) return;
    const now = this.clock.now();
    this.refused = { since: this.refused?.since ?? now, until: now };
    this.canStore = reason === 'too_large' || reason === 'overload';
  }

  private async record(): Promise<void> {
    const { refused } = this;
    if (refused === null || !this.canStore) return;
    await this.journal.change({
      statements: await this.outages.add({
        kind: 'not_stored',
        began_at: refused.since,
        ended_at: refused.until,
        usual_seconds: null,
      }),
    });
    this.recordedAt = this.clock.monotonic();
    // More may have been refused meanwhile.
    this.refused = this.refused === refused ? null : this.refused;
    void this.outages.publish();
  }
}
