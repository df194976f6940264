import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../ground/clock';
import { criticalThreshold, DiskSpace } from '../../database/disk-space';
import { Journal } from '../../database/journal/journal';
import type { Statement } from '../../database/journal/statements';
import type { DatabaseSize, PruneStep } from '../../database/journal/prune-step';
import type { AgeLimit } from '../../ground/clock-corrections';
import { Log } from '../../ground/log';
import { NonOverlapping } from '../../ground/non-overlapping';
import { runEach } from '../../ground/run-each';
import { Settings } from '../../settings/settings';
import { TimeBounds } from '../../ground/time-bounds';
import { AlertsService } from '../alerts.service';
import { EntityFloor, LOSE_STATES } from './entity-floor.service';
import { PrunableEventsQuery, type PrunableEvent } from './prunable-events.query';
import {
  deadLettersRemoved,
  deliveriesCancelled,
  eventsRemoved,
  stillTooLarge,
  TOO_LARGE,
} from './removal-alerts';
import { pauseAfter, stepsOf } from './removal-steps';

const DAY_MS = 24 * 60 * 60 * 1_000;
const AGE_INTERVAL_MS = 60 * 60 * 1_000;
const TICK_MS = 60 * 1_000;

/** Events whose states are kept by one transaction before they are removed. */
const KEPT_AT_ONCE = 1_000;

/** The fraction of the size limit to shrink to, so that retention does not start again every minute. */
const SIZE_GOAL = 0.95;

/** The free disk space to reach, as a multiple of the critical threshold. */
const FREE_DISK_GOAL = 1.25;

/** A full disk removes no event that is younger: what fills the disk may be something else. */
const FULL_DISK_KEEPS_MS = DAY_MS;

/** Removal because of the size ends if so many events have not reduced it. */
const MAX_USELESS_EVENTS = 500;

/** Free pages beyond this fraction of the used ones are returned to the disk; the rest is soon used again. */
const MAX_FREE_PAGES = 0.1;
const SHRINK_PAGES = 64;

const CANCELLED_NOTE = 'Removed before delivery: the database had reached SWITCHBOARD_RETENTION_BYTES.';

/** Whether events may be removed early to free space: not if the settings limit neither age nor size. */
export const mayFreeSpace = ({ retentionDays, retentionBytes }: Settings): boolean =>
  retentionDays > 0 || retentionBytes > 0;

/** What retention did since startup. */
export interface RetentionRecord {
  running: boolean;
  removed: number;
  /** Dead letters removed with their events. */
  deadLetters: number;
  /** Unfinished deliveries cancelled with their events. */
  cancelled: number;
  usedBytes: number | null;
}

interface Removal extends Omit<PruneStep, 'seqs' | 'beforeRemoval'> {
  /** Why, as the end of a sentence. */
  reason: string;
  /** Events are removed before they are too old. */
  isEarly?: boolean;
  /** The last states of their entities are not kept. */
  losesStates?: boolean;
}

/**
 * Removes events in small steps: once an hour those past their age, and the oldest whenever the database exceeds its
 * size limit or the disk is nearly full. Events with dead letters are retained longer, events with unfinished
 * deliveries until these finish. The size limit removes finished events first, then those with dead letters, then
 * unfinished ones; a full disk only finished ones older than a day. What is removed early raises an alert. Before events
 * are removed for their age, the last states of their entities are kept.
 */
@Injectable()
export class RetentionWorker implements OnModuleDestroy {
  /** By monotonic time. */
  private lastAgeRunAt = -Infinity;
  private readonly runs = new NonOverlapping(
    () => this.run(),
    (error) => this.log.error({ err: error }, 'retention failed'),
  );
  private totals = { removed: 0, deadLetters: 0, cancelled: 0 };
  private size: DatabaseSize | null = null;
  /** Removal because of the size proved useless: it begins again beyond this. */
  private uselessUntilBytes = 0;
  private readonly beforeRemoval: (() => Promise<Statement[]>)[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
    private readonly events: PrunableEventsQuery,
    private readonly floor: EntityFloor,
    private readonly disk: DiskSpace,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  get record(): RetentionRecord {
    return { running: this.runs.isRunning, ...this.totals, usedBytes: this.size?.usedBytes ?? null };
  }

  /** Adds statements to run before each removal. See {@link PruneStep.beforeRemoval}. */
  onRemoval(statements: () => Promise<Statement[]>): void {
    this.beforeRemoval.push(statements);
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.runs.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.runs.stop();
  }

  private async run(): Promise<void> {
    const before = this.totals.removed;
    try {
      await runEach([() => this.limitSize(), () => this.limitDisk(), () => this.limitAge()], (step) =>
        step(),
      );
    } finally {
      const removed = this.totals.removed - before;
      if (removed > 0) this.log.info({ removed, since_start: this.totals, ...this.size }, 'retention');
    }
  }

  private async limitSize(): Promise<void> {
    const { retentionBytes, postgresUrl } = this.settings;
    // On PostgreSQL, it must be counted.
    if (retentionBytes === 0 && postgresUrl !== null) return;
    this.size = await this.journal.shrink(0);
    const { usedBytes } = this.size;
    if (retentionBytes === 0 || usedBytes <= retentionBytes) {
      this.uselessUntilBytes = 0;
      this.alerts.resolve(TOO_LARGE, '', 'The database is below SWITCHBOARD_RETENTION_BYTES again.');
    } else if (usedBytes > this.uselessUntilBytes) await this.freeSpace(retentionBytes * SIZE_GOAL);
  }

  private async limitDisk(): Promise<void> {
    const missing = await this.missingDiskBytes();
    if (missing > 0) await this.freeDiskSpace(missing);
    await this.shrinkFile(missing > 0 ? 0 : MAX_FREE_PAGES);
  }

  private async limitAge(): Promise<void> {
    const runAt = this.clock.monotonic();
    if (runAt - this.lastAgeRunAt < AGE_INTERVAL_MS) return;
    if (this.settings.retentionDays > 0) await this.removeAged();
    await this.limitFloor();
    // Set only on success: a removal that failed is retried at the next tick, not in an hour.
    this.lastAgeRunAt = runAt;
  }

  private async removeAged(): Promise<void> {
    const { retentionDays, deadLetterDays } = this.settings;
    const limit = this.bounds.olderThan(retentionDays * DAY_MS);
    // The longer of the two decides.
    const setting =
      deadLetterDays < retentionDays
        ? `SWITCHBOARD_RETENTION_DAYS (${retentionDays} days)`
        : `SWITCHBOARD_DEAD_LETTER_DAYS (${deadLetterDays} days)`;
    const reason = `they were older than ${setting}`;
    const aged = { removeIdentitiesBefore: this.bounds.allOlderThan(retentionDays * DAY_MS), reason };
    await this.remove(this.events.finished(limit), aged);
    if (deadLetterDays === 0) return;
    const deadLimit = this.bounds.olderThan(Math.max(deadLetterDays, retentionDays) * DAY_MS);
    await this.remove(this.events.deadLetters(deadLimit), { ...aged, deadLetters: true });
  }

  /** States are kept for as long as events at least. */
  private async limitFloor(): Promise<void> {
    const { entityDays, retentionDays } = this.settings;
    if (entityDays === 0 || (entityDays !== null && retentionDays === 0)) return;
    const limit =
      entityDays === null ? null : this.bounds.olderThan(Math.max(entityDays, retentionDays) * DAY_MS);
    await this.floor.removeOlder(limit, () => this.runs.isStopped);
  }

  /** Removes events until at most this many bytes are used, or that proves useless. */
  private async freeSpace(bytes: number): Promise<void> {
    let least = { bytes: Infinity, removed: 0 };
    const isEnough = () => this.size !== null && this.size.usedBytes <= bytes;
    const isOver = () => {
      const { removed } = this.totals;
      if (this.size!.usedBytes < least.bytes) least = { bytes: this.size!.usedBytes, removed };
      return isEnough() || removed - least.removed >= MAX_USELESS_EVENTS;
    };
    const removal = {
      removeIdentitiesBefore: null,
      reason: 'the database had reached SWITCHBOARD_RETENTION_BYTES',
      isEarly: true,
      // What is kept would take the space that is to be freed.
      losesStates: true,
    };
    await this.removeFinished(null, removal, isOver);
    // On PostgreSQL, only events are counted.
    if (this.settings.postgresUrl === null && !isOver())
      await this.floor.removeOldest(async () => {
        this.size = await this.journal.shrink(0);
        return this.runs.isStopped || isOver();
      });
    const dead = { ...removal, deadLetters: true };
    await this.remove(this.events.deadLetters(null), dead, isOver);
    const cancel = { note: CANCELLED_NOTE, at: this.clock.now() };
    await this.remove(this.events.all(), { ...dead, cancel }, isOver);
    if (isEnough() || this.runs.isStopped) return;
    const { usedBytes } = this.size!;
    const { retentionBytes } = this.settings;
    this.uselessUntilBytes = usedBytes + retentionBytes * (1 - SIZE_GOAL);
    this.alerts.raise(stillTooLarge(usedBytes, retentionBytes));
  }

  /** Bytes to free on the disk of the database; 0 if there is enough space. */
  private async missingDiskBytes(): Promise<number> {
    const space = mayFreeSpace(this.settings) ? await this.disk.read() : null;
    if (space === null) return 0;
    const threshold = criticalThreshold(space.totalBytes);
    return space.freeBytes < threshold ? threshold * FREE_DISK_GOAL - space.freeBytes : 0;
  }

  /** Removes finished events that are older than a day, and only those, before nothing can be stored any more. */
  private async freeDiskSpace(bytes: number): Promise<void> {
    const isEnough = () => this.size !== null && this.size.freeBytes >= bytes;
    const limit = this.bounds.olderThan(FULL_DISK_KEEPS_MS);
    const reason = 'the disk was nearly full';
    const removal = { removeIdentitiesBefore: null, reason, isEarly: true, losesStates: true };
    await this.removeFinished(limit, removal, isEnough);
  }

  private async removeFinished(
    limit: AgeLimit | null,
    removal: Removal,
    isEnough: () => boolean,
  ): Promise<void> {
    await this.remove(this.events.finished(limit), removal, isEnough);
    if (!isEnough() && this.events.rescan())
      await this.remove(this.events.finished(limit), removal, isEnough);
  }

  /** Oldest first, in steps. */
  private async remove(
    found: AsyncIterable<PrunableEvent[]>,
    removal: Removal,
    isEnough = () => false,
  ): Promise<void> {
    const isOver = () => this.runs.isStopped || isEnough();
    if (isOver()) return;
    const losesStates = removal.losesStates === true || this.settings.entityDays === null;
    for await (const events of found) {
      for (let i = 0; i < events.length; i += KEPT_AT_ONCE) {
        const some = events.slice(i, i + KEPT_AT_ONCE);
        if (!losesStates) await this.floor.keep(some.map(({ seq }) => seq));
        for (const seqs of stepsOf(some)) {
          await this.step(seqs, { ...removal, losesStates });
          if (isOver()) return;
        }
      }
      if (isOver()) return;
    }
  }

  private async step(seqs: number[], { reason, isEarly, losesStates, ...removal }: Removal): Promise<void> {
    const startedAt = this.clock.monotonic();
    const statements = await Promise.all(this.beforeRemoval.map((create) => create()));
    const beforeRemoval = losesStates ? [...statements.flat(), ...LOSE_STATES] : statements.flat();
    const step = await this.journal.prune({ ...removal, seqs, beforeRemoval });
    this.totals.removed += step.removed;
    this.totals.deadLetters += step.deadLetters;
    this.totals.cancelled += step.cancelled;
    this.size = step.size;
    if (isEarly && step.removed > 0) this.alerts.raise(eventsRemoved(reason), step.removed);
    if (step.deadLetters > 0) this.alerts.raise(deadLettersRemoved(reason), step.deadLetters);
    if (step.cancelled > 0) this.alerts.raise(deliveriesCancelled(reason), step.cancelled);
    await pauseAfter(this.clock.monotonic() - startedAt);
  }

  /** @param maxFree free pages to leave, as a fraction of the used ones */
  private async shrinkFile(maxFree: number): Promise<void> {
    for (let free = Infinity; this.size !== null && !this.runs.isStopped;) {
      if (this.size.freeBytes <= this.size.usedBytes * maxFree || this.size.freeBytes >= free) return;
      free = this.size.freeBytes;
      const startedAt = this.clock.monotonic();
      this.size = await this.journal.shrink(SHRINK_PAGES);
      await pauseAfter(this.clock.monotonic() - startedAt);
    }
  }
}
