import { z } from 'zod';
import { backupId, instant } from './primitives';

/** A complete copy of the database in one file. */
export const backup = z.object({
  /** Its path when it was made. */
  file: z.string(),
  /** Everything that was stored before this time is in it. */
  at: instant,
  bytes: z.number().int(),
  events: z.number().int(),
  /** The `seq` of its newest event; 0 if it has none. */
  newest_seq: z.number().int(),
  /** What the consistency check of the copy found; 0: it is consistent. */
  findings: z.number().int(),
});
export type Backup = z.infer<typeof backup>;

/** A new backup: the path of a file that does not exist, on the daemon's machine. */
export const backupCreate = z.strictObject({ file: z.string().min(1).max(4_096) });
export type BackupCreate = z.infer<typeof backupCreate>;

/** The making of a backup. */
export const backupRun = z.object({
  id: backupId,
  file: z.string(),
  state: z.enum(['copying', 'verifying', 'done', 'failed']),
  /** The share that has been copied, from 0 to 1. */
  progress: z.number().min(0).max(1),
  started_at: instant,
  /** Null while it is in progress. */
  ended_at: instant.nullable(),
  /** Null until it is done. */
  backup: backup.nullable(),
  /** Why it failed and what to do; null unless it failed. Nothing is left of a failed backup. */
  error: z.object({ code: z.string(), detail: z.string(), remedy: z.string() }).nullable(),
});
export type BackupRun = z.infer<typeof backupRun>;

export const backups = z.object({
  /** The run in progress, or the last one since the start; null if there was none. */
  run: backupRun.nullable(),
  /** The latest backup, scheduled or requested; in a restored hub, the one it was restored from. */
  latest: backup.nullable(),
  /** Null: `SWITCHBOARD_BACKUP_DIR` is not set. */
  schedule: z
    .object({
      folder: z.string(),
      /** How many are kept. */
      keep: z.number().int(),
      interval_seconds: z.number().int(),
      /** When the next one is made, or the last one that failed is tried again. */
      next_at: instant,
    })
    .nullable(),
});
export type BackupSchedule = Backups['schedule'];
export type Backups = z.infer<typeof backups>;
