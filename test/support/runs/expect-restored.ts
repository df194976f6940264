import { report } from './report';
import type { RestoreFindings, RestorePlan } from './restore-run';

/** Expects that a restore has lost only what the backup cannot have, and that it says so. */
export function expectRestored(found: RestoreFindings, { count }: RestorePlan): void {
  const { backup, restored, outage, destroyedAt, lostAt, instances } = found;
  const backedUpAt = Date.parse(backup.at);

  expect(backup.findings).toBe(0);
  expect(found.acknowledgedDuringBackup).toBeGreaterThan(0);

  // The loss window that restore prints and the daemon shows: everything lost was acknowledged in it.
  const windowStart = Date.parse(restored.at);
  expect(windowStart).toBeGreaterThanOrEqual(backedUpAt);
  expect(outage).toMatchObject({
    began_at: restored.at,
    sentence: expect.stringContaining('restored from a backup'),
  });
  expect(Date.parse(outage!.ended_at!)).toBeGreaterThanOrEqual(destroyedAt);
  expect(lostAt.length).toBeGreaterThanOrEqual(count);
  expect(lostAt.filter((at) => at < windowStart || at > destroyedAt)).toEqual([]);

  expect(found.acknowledgedSince).toBeGreaterThanOrEqual(count);
  expect(found.undelivered).toEqual([]);
  expect(found.bodiesOfTwoIds).toEqual([]);
  expect(found.idsNotFound).toEqual([]);
  expect(found.lostPosition).toMatchObject({ status: 410, code: 'position_unknown' });
  expect(instances.before).toHaveLength(1);
  expect(instances.since).toHaveLength(1);
  expect(instances.since).not.toEqual(instances.before);
}

export function reportRestore({ backup, backupMs, slowestAckMs, lostAt, ...found }: RestoreFindings): void {
  const lost = Math.max(0, ...lostAt) - Date.parse(backup.at);
  report(
    `${(backup.bytes / 2 ** 20).toFixed(0)} MiB, ${backup.events} events in ${backupMs} ms; ` +
      `${found.acknowledgedDuringBackup} acknowledged meanwhile, the slowest in ${slowestAckMs} ms; ` +
      `${lostAt.length} lost in the ${lost} ms after the backup; ${found.acknowledgedSince} acknowledged since`,
  );
}
