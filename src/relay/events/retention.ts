import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../clock';
import { Journal, type DatabaseSize, type PruneStep, type Statement } from '../database/journal';
import { LOG, type Log } from '../log';
import { OneAtATime } from '../one-at-a-time';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../time-bounds';
import { OwnEvents, type OwnEvent } from './own-events';

const DAY_MS = 24 * 60 * 60 * 1_000;
const AGE_EVERY_MS = 60 * 60 * 1_000;
const TICK_MS = 60 * 1_000;

/** Events a step looks at, some 2 ms: a step shares its transaction with notifications that wait for their answer. */
const STEP_EVENTS = 25;
/** Between two steps what arrives has the writer to itself: so long at least, and as long as a step took on a slow disk. */
const BREATH_MS = 5;
const LONGEST_BREATH_MS = 250;

/** Once over the limit, so much of it is made free: else every minute would begin again. */
const DOWN_TO = 0.95;

/** Free pages beyond this part of what is used go back to the disk, so many at a time; the rest is soon used again. */
const KEPT_FREE = 0.1;
const SHRINK_PAGES = 64;

const CANCELLED = 'Removed before it was delivered: the database had reached SWITCHBOARD_RETENTION_BYTES.';

/** What retention did since the start. */
export interface RetentionRecord {
  running: boolean;
  removed: number;
  /** Unfinished deliveries that went with their events. */
  cancelled: number;
  usedBytes: number | null;
}

/**
 * Removes events past their age once an hour, and the oldest ones whenever the database takes more than it may: step by
 * step, with pauses. An event with an unfinished delivery is never too old; where there is no room, it goes after all
 * that is finished, and is told of.
 */
@Injectable()
export class Retention implements OnModuleDestroy {
  /** By monotonic time. */
  private agedAt = -Infinity;
  private readonly runs = new OneAtATime(
    () => this.run(),
    (error) => this.log.error({ err: error }, 'retention failed'),
  );
  private done = { removed: 0, cancelled: 0 };
  private size: DatabaseSize | null = null;
  private untold: OwnEvent[] = [];
  private readonly losing: (() => Promise<Statement[]>)[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
    private readonly own: OwnEvents,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    @Inject(LOG) private readonly log: Log,
  ) {}

  get record(): RetentionRecord {
    return { running: this.runs.isRunning, ...this.done, usedBytes: this.size?.usedBytes ?? null };
  }

  /** What notes its losses with statements that are run before each removal. See {@link PruneStep.beforeRemoval}. */
  onRemoval(statements: () => Promise<Statement[]>): void {
    this.losing.push(statements);
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.runs.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.runs.stop();
  }

  private async run(): Promise<void> {
    const before = { ...this.done };
    const { retentionDays, retentionBytes } = this.settings;
    const now = this.clock.now();
    const runAt = this.clock.monotonic();
    if (retentionDays > 0 && runAt - this.agedAt >= AGE_EVERY_MS) {
      await this.removeWhile(() => true, { before: this.bounds.earliest() - retentionDays * DAY_MS });
      // Only now: what the disk refused is tried again at the next tick, not in an hour.
      this.agedAt = runAt;
    }
    this.size = await this.journal.shrink(0);
    if (retentionBytes > 0 && this.size.usedBytes > retentionBytes) await this.makeRoom(retentionBytes);
    await this.giveBack();
    const removed = this.done.removed - before.removed;
    const cancelled = this.done.cancelled - before.cancelled;
    if (removed > 0) this.log.info({ removed, cancelled, ...this.size }, 'retention');
    if (cancelled > 0) this.noteCancelled(cancelled, now);
    while (this.untold.length > 0 && (await this.own.record(this.untold[0]!))) this.untold.shift();
  }

  private async makeRoom(limit: number): Promise<void> {
    const isTooMuch = () => this.size === null || this.size.usedBytes > limit * DOWN_TO;
    await this.removeWhile(isTooMuch, { before: null });
    if (isTooMuch())
      await this.removeWhile(isTooMuch, {
        before: null,
        cancel: { note: CANCELLED, at: this.clock.now() },
      });
  }

  /** Oldest first. */
  private async removeWhile(
    isWanted: () => boolean,
    which: Pick<PruneStep, 'before' | 'cancel'>,
  ): Promise<void> {
    for (let after: number | null = 0; after !== null && isWanted() && !this.runs.isStopped;) {
      const begunAt = this.clock.monotonic();
      const noting = await Promise.all(this.losing.map((statements) => statements()));
      const step = await this.journal.prune({
        ...which,
        after,
        limit: STEP_EVENTS,
        beforeRemoval: noting.flat(),
      });
      this.done.removed += step.removed;
      this.done.cancelled += step.cancelled;
      this.size = step.size;
      after = step.next;
      await breath(this.clock.monotonic() - begunAt);
    }
  }

  private async giveBack(): Promise<void> {
    for (let free = Infinity; this.size !== null && !this.runs.isStopped;) {
      if (this.size.freeBytes <= this.size.usedBytes * KEPT_FREE || this.size.freeBytes >= free) return;
      free = this.size.freeBytes;
      const begunAt = this.clock.monotonic();
      this.size = await this.journal.shrink(SHRINK_PAGES);
      await breath(this.clock.monotonic() - begunAt);
    }
  }

  private noteCancelled(count: number, at: number): void {
    this.log.warn({ cancelled: count }, 'unfinished deliveries removed for want of room');
    const sentence = `${count} unfinished ${count === 1 ? 'delivery was' : 'deliveries were'} cancelled and removed: the database had reached SWITCHBOARD_RETENTION_BYTES.`;
    this.untold.push({
      type: 'relay.retention.cancelled',
      at,
      data: { sentence, count },
      occurrence: `retention cancelled ${at}`,
    });
  }
}

const breath = (tookMs: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, Math.min(Math.max(BREATH_MS, tookMs), LONGEST_BREATH_MS));
  });
