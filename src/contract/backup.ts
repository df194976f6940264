import { z } from 'zod';
import { backupId, instant, textOf } from './primitives';

export const backup = z
  .object({
    file: z.string().describe('Its path when it was made.'),
    at: instant.describe('Everything that was stored before this time is in it.'),
    bytes: z.number().int().describe('The size of the file.'),
    events: z.number().int().describe('How many events it has.'),
    newest_seq: z.number().int().describe('The `seq` of its newest event; 0 if it has none.'),
    findings: z.number().int().describe('What the consistency check of the copy found; 0: it is consistent.'),
  })
  .describe('A complete copy of the database in one file.');
export type Backup = z.infer<typeof backup>;

export const backupCreate = z
  .strictObject({ file: textOf(4_096, 1).describe('Its absolute path.') })
  .describe("A new backup: the path of a file that does not exist, on the daemon's machine.");
export type BackupCreate = z.infer<typeof backupCreate>;

export const backupRun = z
  .object({
    id: backupId,
    file: z.string().describe('Its path.'),
    state: z.enum(['copying', 'verifying', 'done', 'failed']).describe('How far it is.'),
    progress: z.number().min(0).max(1).describe('The share that has been copied, from 0 to 1.'),
    started_at: instant.describe('When it started.'),
    ended_at: instant.nullable().describe('Null while it is in progress.'),
    backup: backup.nullable().describe('Null until it is done.'),
    error: z
      .object({
        code: z.string().describe('Stable, unlike the texts.'),
        detail: z.string().describe('What happened.'),
        remedy: z.string().describe('What to do.'),
      })
      .nullable()
      .describe('Why it failed and what to do; null unless it failed. Nothing is left of a failed backup.'),
  })
  .describe('The making of a backup.');
export type BackupRun = z.infer<typeof backupRun>;

export const backups = z
  .object({
    run: backupRun
      .nullable()
      .describe('The run in progress, or the last one since the start; null if there was none.'),
    latest: backup
      .nullable()
      .describe(
        'The latest backup, scheduled or requested; in a restored hub, the one it was restored from.',
      ),
    schedule: z
      .object({
        folder: z.string().describe('Where they are made.'),
        keep: z.number().int().describe('How many are kept.'),
        interval_seconds: z.number().int().describe('How often they are made.'),
        next_at: instant.describe('When the next one is made, or the last one that failed is tried again.'),
      })
      .nullable()
      .describe('Null: `SWITCHBOARD_BACKUP_DIR` is not set.'),
  })
  .describe('What is known about backups.');
export type BackupSchedule = Backups['schedule'];
export type Backups = z.infer<typeof backups>;
