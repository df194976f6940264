import type { Backup, Backups } from '../contract/backup';
import { fail, pass, unknown, type CheckResult } from './check-result';

/** Scheduled backups may be one interval late. */
const MAX_BACKUP_INTERVALS = 2;

export function checkBackup({ latest, schedule }: Backups): CheckResult {
  if (schedule === null) {
    const advice =
      'For one every day set SWITCHBOARD_BACKUP_DIR, or run switchboard backup and copy the file elsewhere.';
    return latest === null
      ? unknown('backup', `There is no backup. ${advice}`)
      : pass('backup', `The latest backup was made ${ageOf(latest)} ago: ${latest.file}.`);
  }
  const remedy = `Check that the daemon can write to ${schedule.folder}; its log and the alerts say why a backup failed.`;
  if (latest === null) return fail('backup', 'No scheduled backup has been made yet.', remedy);
  const sentence = `The latest backup was made ${ageOf(latest)} ago: ${latest.file}.`;
  const isOverdue =
    Date.now() - Date.parse(latest.at) > MAX_BACKUP_INTERVALS * schedule.interval_seconds * 1_000;
  return isOverdue ? fail('backup', sentence, remedy) : pass('backup', sentence);
}

const HOUR_MS = 3_600_000;

function ageOf({ at }: Backup): string {
  const hours = Math.floor((Date.now() - Date.parse(at)) / HOUR_MS);
  if (hours < 1) return 'less than an hour';
  return hours === 1 ? '1 hour' : `${hours} hours`;
}
