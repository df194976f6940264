import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../ground/clock';
import { criticalThreshold, DiskSpace } from '../../database/disk-space';
import { Journal, type DatabaseSize, type PruneStep, type Statement } from '../../database/journal';
import { Log } from '../../ground/log';
import { NonOverlapping } from '../../ground/non-overlapping';
import { Settings } from '../../settings/settings';
import { TimeBounds } from '../../ground/time-bounds';
import { Alerts, type Alert } from '../alerts';
import { PrunableEvents, type PrunableEvent } from './prunable-events';

const DAY_MS = 24 * 60 * 60 * 1_000;
const AGE_EVERY_MS = 60 * 60 * 1_000;
const TICK_MS = 60 * 1_000;

/** Events that a step removes at most, some 2 ms: a step shares its transaction with notifications that wait for their answer. */
const STEP_EVENTS = 25;
/** Freeing a large body reads it page by page: beyond this a step ends, however few events it has. */
const STEP_BYTES = 2 * 1024 * 1024;
/** Between two steps what arrives has the writer to itself: so long at least, and as long as a step took on a slow disk. */
const BREATH_MS = 5;
const LONGEST_BREATH_MS = 250;

/** Once over the limit, so much of it is made free: else every minute would begin again. */
const DOWN_TO = 0.95;

/** Of a disk that is nearly full so much more is made free than it would have to be. */
const DISK_UP_TO = 1.25;

/** Free pages beyond this part of what is used go back to the disk, so many at a time; the rest is soon used again. */
const KEPT_FREE = 0.1;
const SHRINK_PAGES = 64;

const CANCELLED = 'Removed before it was delivered: the database had reached SWITCHBOARD_RETENTION_BYTES.';

/** Without a further removal for so long, its alert is over. */
const ALERT_QUIET_MS = 6 * 60 * 60 * 1_000;

/** Whether the settings let events go before their age where there is no room: without a limit everything is to be kept. */
export const makesRoom = ({ retentionDays, retentionBytes }: Settings): boolean =>
  retentionDays > 0 || retentionBytes > 0;

/** What retention did since the start. */
export interface RetentionRecord {
  running: boolean;
  removed: number;
  /** Dead letters that went with their events. */
  deadLetters: number;
  /** Unfinished deliveries that went with their events. */
  cancelled: number;
  usedBytes: number | null;
}

interface Removal extends Omit<PruneStep, 'seqs' | 'beforeRemoval'> {
  /** Why it is made, as the end of a sentence. */
  because: string;
}

/**
 * Removes the oldest events whenever the database takes more than it may, and once an hour those past their age: step by
 * step, with pauses. A dead letter holds its event for longer than others are kept, an unfinished delivery for as long as it
 * takes; where the database takes too much, what has dead letters goes after all that is finished, and what is unfinished last.
 * Both are told of. Where the disk is nearly full, what is finished goes.
 */
@Injectable()
export class Retention implements OnModuleDestroy {
  /** By monotonic time. */
  private agedAt = -Infinity;
  private readonly runs = new NonOverlapping(
    () => this.run(),
    (error) => this.log.error({ err: error }, 'retention failed'),
  );
  private done = { removed: 0, deadLetters: 0, cancelled: 0 };
  private size: DatabaseSize | null = null;
  private readonly losing: (() => Promise<Statement[]>)[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
    private readonly events: PrunableEvents,
    private readonly disk: DiskSpace,
    private readonly alerts: Alerts,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
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
    const before = this.done.removed;
    const { retentionDays, retentionBytes } = this.settings;
    this.size = await this.journal.shrink(0);
    if (retentionBytes > 0 && this.size.usedBytes > retentionBytes)
      await this.makeRoom(retentionBytes * DOWN_TO);
    const lacking = await this.lackingOnDisk();
    if (lacking > 0) await this.makeRoomOnDisk(lacking);
    const runAt = this.clock.monotonic();
    if (retentionDays > 0 && runAt - this.agedAt >= AGE_EVERY_MS) {
      await this.removeAged();
      // Only now: what the disk refused is tried again at the next tick, not in an hour.
      this.agedAt = runAt;
    }
    await this.giveBack(lacking > 0 ? 0 : KEPT_FREE);
    const removed = this.done.removed - before;
    if (removed > 0) this.log.info({ removed, since_start: this.done, ...this.size }, 'retention');
  }

  private async removeAged(): Promise<void> {
    const { retentionDays, deadLetterDays } = this.settings;
    const before = this.bounds.earliest() - retentionDays * DAY_MS;
    const because = `they were older than SWITCHBOARD_DEAD_LETTER_DAYS (${deadLetterDays} days)`;
    const aged = { forgetBefore: before, because };
    await this.remove(this.events.finished(before), aged);
    if (deadLetterDays === 0) return;
    const deadBefore = this.bounds.earliest() - Math.max(deadLetterDays, retentionDays) * DAY_MS;
    await this.remove(this.events.deadLetters(deadBefore), { ...aged, deadLetters: true });
  }

  /** Removes until no more than so many bytes are used. */
  private async makeRoom(bytes: number): Promise<void> {
    const isEnough = () => this.size !== null && this.size.usedBytes <= bytes;
    const room = { forgetBefore: null, because: 'the database had reached SWITCHBOARD_RETENTION_BYTES' };
    await this.removeFinished(room, isEnough);
    const dead = { ...room, deadLetters: true };
    await this.remove(this.events.deadLetters(null), dead, isEnough);
    const cancel = { note: CANCELLED, at: this.clock.now() };
    await this.remove(this.events.all(), { ...dead, cancel }, isEnough);
  }

  /** What the disk of the database has too little, in bytes. */
  private async lackingOnDisk(): Promise<number> {
    const room = makesRoom(this.settings) ? await this.disk.read() : null;
    if (room === null) return 0;
    const mark = criticalThreshold(room.total);
    return room.free < mark ? mark * DISK_UP_TO - room.free : 0;
  }

  /** Before nothing at all can be stored, the oldest finished events go, whatever their age: only those, since they were delivered. */
  private async makeRoomOnDisk(bytes: number): Promise<void> {
    const isEnough = () => this.size !== null && this.size.freeBytes >= bytes;
    await this.removeFinished({ forgetBefore: null, because: 'the disk was nearly full' }, isEnough);
  }

  private async removeFinished(removal: Removal, isEnough: () => boolean): Promise<void> {
    await this.remove(this.events.finished(null), removal, isEnough);
    if (!isEnough() && this.events.lookAgain())
      await this.remove(this.events.finished(null), removal, isEnough);
  }

  /** Step by step, oldest first. */
  private async remove(
    found: AsyncIterable<PrunableEvent[]>,
    removal: Removal,
    isEnough = () => false,
  ): Promise<void> {
    const isOver = () => this.runs.isStopped || isEnough();
    if (isOver()) return;
    for await (const events of found) {
      for (const seqs of stepsOf(events)) {
        await this.step(seqs, removal);
        if (isOver()) return;
      }
      if (isOver()) return;
    }
  }

  private async step(seqs: number[], { because, ...removal }: Removal): Promise<void> {
    const begunAt = this.clock.monotonic();
    const noting = await Promise.all(this.losing.map((statements) => statements()));
    const step = await this.journal.prune({ ...removal, seqs, beforeRemoval: noting.flat() });
    this.done.removed += step.removed;
    this.done.deadLetters += step.deadLetters;
    this.done.cancelled += step.cancelled;
    this.size = step.size;
    if (step.deadLetters > 0) this.alerts.raise(deadRemoved(because), step.deadLetters);
    if (step.cancelled > 0) this.alerts.raise(cancelledFor(because), step.cancelled);
    await breath(this.clock.monotonic() - begunAt);
  }

  /** @param kept what of the pages that are used may be free besides, as a part */
  private async giveBack(kept: number): Promise<void> {
    for (let free = Infinity; this.size !== null && !this.runs.isStopped;) {
      if (this.size.freeBytes <= this.size.usedBytes * kept || this.size.freeBytes >= free) return;
      free = this.size.freeBytes;
      const begunAt = this.clock.monotonic();
      this.size = await this.journal.shrink(SHRINK_PAGES);
      await breath(this.clock.monotonic() - begunAt);
    }
  }
}

const deadRemoved = (because: string): Alert => ({
  type: 'relay.retention.dead_removed',
  subject: '',
  severity: 'warning',
  sentence: `Dead letters were removed with their events: ${because}. They cannot be sent again.`,
  remedy:
    'Retry or discard dead letters in time; or raise SWITCHBOARD_DEAD_LETTER_DAYS or SWITCHBOARD_RETENTION_BYTES.',
  quietAfterMs: ALERT_QUIET_MS,
});

const cancelledFor = (because: string): Alert => ({
  type: 'relay.retention.cancelled',
  subject: '',
  severity: 'critical',
  sentence: `Unfinished deliveries were cancelled and removed with their events: ${because}.`,
  remedy:
    'Repair, pause or remove the targets that deliveries wait for; or raise SWITCHBOARD_RETENTION_BYTES.',
  quietAfterMs: ALERT_QUIET_MS,
});

/** At most so many events, and so many bytes of bodies, at a time. */
function* stepsOf(events: readonly PrunableEvent[]): Generator<number[]> {
  let seqs: number[] = [];
  let size = 0;
  for (const { seq, bytes } of events) {
    seqs.push(seq);
    size += bytes;
    if (seqs.length < STEP_EVENTS && size < STEP_BYTES) continue;
    yield seqs;
    seqs = [];
    size = 0;
  }
  if (seqs.length > 0) yield seqs;
}

const breath = (tookMs: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, Math.min(Math.max(BREATH_MS, tookMs), LONGEST_BREATH_MS));
  });
