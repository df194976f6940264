import { existsSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { backup as backupSchema, type Backup, type BackupRun } from '../../contract/backup';
import { removeCopy, syncFolder } from '../database/sqlite/database-copy';
import { Journal } from '../database/journal/journal';
import { setAuditSubject } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { Settings } from '../settings/settings';
import { checkDestination } from './check-destination';
import { storeLatestBackup } from './describe-copy';
import { partialPath, removePartials } from './partial-files';
import { runCopy, CopyFailed } from './run-copy';
import { describeMachineFault } from '../ground/machine-faults';

/** Makes backups, one at a time. A file has its final name only once it is verified and on disk. */
@Injectable()
export class BackupsService implements OnModuleInit, OnModuleDestroy {
  private latest: Backup | null = null;
  private run: BackupRun | null = null;
  /** The file of the backup in progress, also before its run exists. */
  private busyWith: string | null = null;
  private expectedBytes = 0;
  private ended: Promise<unknown> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const [row] = await this.source.query<{ latest: string | null }[]>(
      'SELECT last_backup AS latest FROM instance',
    );
    if (row?.latest) this.latest = backupSchema.parse(JSON.parse(row.latest));
  }

  /** A backup in progress is abandoned. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  get latestBackup(): Backup | null {
    return this.latest;
  }

  /** The run in progress, or the last one since the start. */
  async lastRun(): Promise<BackupRun | null> {
    const { run } = this;
    if (run?.state !== 'copying') return run;
    const { size } = await stat(partialPath(run.file, run.id)).catch(() => ({ size: 0 }));
    return { ...run, progress: Math.min(1, size / Math.max(1, this.expectedBytes)) };
  }

  /** Where a caller may write who may do nothing but make backups. */
  get folder(): string {
    const { backupDir, dataDir } = this.settings;
    return backupDir ?? join(dataDir, 'backups');
  }

  /**
   * Starts a backup into a new file.
   * @param within the folder that the file must be in; null: any
   * @returns `ended` resolves when the run is done or has failed
   * @throws RelayError `backup_running` or `backup_unsupported`, 409; see also `checkDestination`
   */
  async start(requested: string, within: string | null = null) {
    if (this.settings.postgresUrl !== null) throw unsupported();
    if (this.busyWith !== null)
      throw new RelayError('backup_running', 409, `A backup to ${this.busyWith} is in progress.`, {
        remedy: 'Wait until it has finished: GET /api/v1/backups shows its progress.',
      });
    this.busyWith = requested;
    try {
      this.expectedBytes = (await this.journal.shrink(0)).usedBytes;
      const { databaseFile } = this.settings;
      const { expectedBytes: bytes } = this;
      const file = await checkDestination({ file: requested, within, databaseFile, bytes });
      const startedAt = this.clock.now();
      const id = newId('bak', startedAt, this.random);
      setAuditSubject({ id, name: file });
      const run: BackupRun = {
        id,
        file,
        state: 'copying',
        progress: 0,
        started_at: new Date(startedAt).toISOString(),
        ended_at: null,
        backup: null,
        error: null,
      };
      this.run = run;
      const ended = this.make(run, startedAt).finally(() => (this.busyWith = null));
      this.ended = ended;
      return { run, ended };
    } catch (error) {
      this.busyWith = null;
      throw error;
    }
  }

  private async make(run: BackupRun, at: number): Promise<BackupRun> {
    const { file } = run;
    const copy = partialPath(file, run.id);
    const startedAt = this.clock.monotonic();
    try {
      await removePartials(dirname(file), (name) => name === basename(file));
      const request = { database: this.settings.databaseFile, copy, file, at };
      const onVerifying = () => Object.assign(run, { state: 'verifying', progress: 1 });
      const backup = await runCopy(request, onVerifying, this.stopping.signal);
      await publish(copy, file);
      const tookMs = Math.round(this.clock.monotonic() - startedAt);
      this.log.info({ backup: run.id, ...backup, took_ms: tookMs }, 'backup made');
      await this.keepLatest(backup);
      return this.end(run, { state: 'done', backup });
    } catch (error) {
      removeCopy(copy);
      if (this.stopping.signal.aborted) this.log.info({ backup: run.id, file }, 'backup abandoned');
      else this.log.error({ err: error, backup: run.id, file }, 'backup failed');
      return this.end(run, { state: 'failed', error: describeFailure(error, file) });
    }
  }

  private end(run: BackupRun, outcome: Partial<BackupRun>): BackupRun {
    return Object.assign(run, outcome, { ended_at: new Date(this.clock.now()).toISOString() });
  }

  private async keepLatest(backup: Backup): Promise<void> {
    this.latest = backup;
    await this.journal
      .change({ statements: [storeLatestBackup(backup)] })
      .catch((error: unknown) => this.log.error({ err: error }, 'the latest backup was not recorded'));
  }
}

function unsupported(): RelayError {
  const detail = 'Switchboard makes no backups of a database in PostgreSQL.';
  const remedy = "Use the server's own backups, such as pg_dump.";
  return new RelayError('backup_unsupported', 409, detail, { remedy });
}

/** Gives a complete copy its name. @throws Error if that name was taken meanwhile */
async function publish(copy: string, file: string): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} was created by another program meanwhile`);
  await rename(copy, file);
  syncFolder(dirname(file));
}

type BackupError = NonNullable<BackupRun['error']>;

const DISK_FULL = /^(SQLITE_FULL|ENOSPC|EDQUOT)$/;

/** Why a backup failed while it was made, and what to do. */
function describeFailure(error: unknown, file: string): BackupError {
  const { code, message } = error as { code?: string; message: string };
  const cause = `${code ?? 'unknown'}: ${message}`;
  if (DISK_FULL.test(code ?? ''))
    return {
      code: 'disk_full',
      detail: `The disk of ${dirname(file)} became full (${code}).`,
      remedy: 'Free space there, or choose another disk.',
    };
  if (code === 'COPY_DAMAGED')
    return {
      code: 'copy_damaged',
      detail: `SQLite's integrity check of the copy failed (${message}), so it was removed.`,
      remedy:
        'Check the disks of the database and of the copy for errors. Keep the earlier backups: the database may be damaged too.',
    };
  return {
    code: error instanceof CopyFailed ? 'copy_failed' : 'backup_failed',
    detail: `The backup could not be made (${cause}).`,
    remedy:
      code === 'EMFILE' || code === 'ENFILE'
        ? describeMachineFault(code)!.remedy
        : `Check that ${dirname(file)} can be written, and the log of the daemon.`,
  };
}
