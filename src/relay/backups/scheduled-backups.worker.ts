import { rm } from 'node:fs/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { BackupRun, BackupSchedule } from '../../contract/backup';
import type { RemainingBackups } from '../../contract/erasure';
import { Journal } from '../database/journal/journal';
import { AlertsService } from '../events/alerts.service';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { RelayError } from '../ground/relay-error';
import { runEach } from '../ground/run-each';
import { TimeBounds } from '../ground/time-bounds';
import { Settings } from '../settings/settings';
import { BackupsService } from './backups.service';
import { filesToRemove, ScheduledFiles } from './scheduled-files';
import { isoOrNull, toIso } from '../ground/iso-time';

const TICK_MS = 30_000;
const BACKUP_INTERVAL_MS = 24 * 3_600_000;
const RETRY_AFTER_MS = 10 * 60_000;

const FAILED = 'relay.backup.failed';
const INCONSISTENT = 'relay.backup.inconsistent';

type Failure = NonNullable<BackupRun['error']>;

/**
 * Makes a backup in `SWITCHBOARD_BACKUP_DIR` a day after the newest one there, and removes the oldest. What is in the
 * folder decides, so a backup that was removed is replaced.
 */
@Injectable()
export class ScheduledBackupsWorker implements OnModuleDestroy {
  private readonly files: ScheduledFiles | null;
  /** When the newest one was made, in ms since 1970; null if there is none. */
  private latestAt: number | null = null;
  /** By monotonic time; null unless the last attempt failed. */
  private retryAt: number | null = null;
  private readonly runs = new NonOverlapping(
    () => this.runIfDue(),
    (error) => this.log.error({ err: error }, 'scheduled backups not checked'),
  );

  constructor(
    private readonly settings: Settings,
    private readonly backups: BackupsService,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
    journal: Journal,
  ) {
    const { backupDir } = settings;
    this.files = backupDir === null ? null : new ScheduledFiles(backupDir, journal.instanceId.current);
  }

  get schedule(): BackupSchedule {
    const { backupDir: folder, backupKeep: keep } = this.settings;
    if (folder === null) return null;
    const now = this.clock.now();
    const waitMs =
      this.retryAt === null
        ? (this.latestAt ?? 0) + BACKUP_INTERVAL_MS - now
        : this.retryAt - this.clock.monotonic();
    const nextAt = new Date(now + Math.max(0, waitMs)).toISOString();
    return { folder, keep, interval_seconds: BACKUP_INTERVAL_MS / 1_000, next_at: nextAt };
  }

  /** Those that were made before a time, in ms since 1970. */
  async holding(time: number): Promise<RemainingBackups> {
    const all = (await this.files?.list().catch(() => [])) ?? [];
    const made = all.filter(({ at }) => at <= time);
    const rotation = this.settings.backupKeep * BACKUP_INTERVAL_MS;
    return {
      files: made.map(({ path, at }) => ({ file: path, at: toIso(at) })),
      rotates_out_at: made[0] === undefined ? null : toIso(made[0].at + rotation),
    };
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.runs.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.runs.stop();
  }

  private async runIfDue(): Promise<void> {
    if (this.files === null) return;
    const [newest] = await this.files.list().catch(() => []);
    this.latestAt = newest?.at ?? null;
    const ageMs =
      newest === undefined ? Infinity : this.bounds.latest() - this.bounds.fromWallClock(newest.at);
    if (ageMs < BACKUP_INTERVAL_MS) return;
    if (this.retryAt !== null && this.clock.monotonic() < this.retryAt) return;
    const failure = await this.make(this.files);
    if (failure === null || this.runs.isStopped) return;
    this.retryAt = this.clock.monotonic() + RETRY_AFTER_MS;
    this.raiseFailed(failure, ageMs);
  }

  /** @returns why it failed; null if it did not, or another backup is in progress */
  private async make(files: ScheduledFiles): Promise<Failure | null> {
    try {
      const file = files.pathAt(this.clock.now());
      const started = await this.backups.start(file);
      const { backup, error } = await started.ended;
      if (error !== null) return error;
      this.retryAt = null;
      this.latestAt = Date.parse(backup!.at);
      this.alerts.resolve(FAILED, '', `A backup was made: ${file}.`);
      this.reportFindings(file, backup!.findings);
      await this.removeOld(files);
      return null;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      if (error.code === 'backup_running') return null;
      return { code: error.code, detail: error.message, remedy: error.remedy ?? '' };
    }
  }

  private async removeOld(files: ScheduledFiles): Promise<void> {
    const found = await files.list();
    await files.removePartials();
    await runEach(filesToRemove(found, this.settings.backupKeep), async ({ path }) => {
      await rm(path);
      this.log.info({ file: path }, 'old backup removed');
    });
  }

  private raiseFailed({ code, detail, remedy }: Failure, ageMs: number): void {
    const latest =
      this.latestAt === null
        ? 'There is no earlier one.'
        : `The latest one is of ${new Date(this.latestAt).toISOString()}.`;
    this.alerts.raise({
      type: FAILED,
      subject: '',
      severity: ageMs < 2 * BACKUP_INTERVAL_MS ? 'warning' : 'critical',
      sentence: `The scheduled backup failed. ${detail} ${latest}`,
      remedy: `${remedy} It is tried again every ten minutes.`,
      data: { code, latest_at: isoOrNull(this.latestAt) },
    });
  }

  private reportFindings(file: string, findings: number): void {
    if (findings === 0) return this.alerts.resolve(INCONSISTENT, '', 'The latest backup is consistent.');
    this.alerts.raise({
      type: INCONSISTENT,
      subject: '',
      severity: 'warning',
      sentence: `The backup ${file} is intact, but the consistency check found problems in the data (${findings}). The latest backup without any is kept.`,
      remedy: 'Run switchboard doctor --ledger, and follow the remedies.',
      data: { findings },
    });
  }
}
