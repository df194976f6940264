import { dirname } from 'node:path';
import type { BackupRun } from '../../contract/backup';
import { describeMachineFault } from '../ground/machine-faults';
import { CopyFailed } from './run-copy';

type BackupError = NonNullable<BackupRun['error']>;

const DISK_FULL = /^(SQLITE_FULL|ENOSPC|EDQUOT)$/;

/** Why a backup failed while it was made, and what to do. */
export function describeFailure(error: unknown, file: string): BackupError {
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
