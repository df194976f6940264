import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backup } from '../../../src/contract/backup';
import type { FollowingEvents } from '../../../src/contract/event';
import type { Problem } from '../../../src/contract/problem';
import type { Outage } from '../../../src/contract/outage';
import type { Page } from '../../../src/contract/page';
import type { Daemon } from '../daemon/daemon';
import { revertToFirstSchema } from '../daemon/first-schema';
import { assertBalanced } from '../daemon/ledger';
import { runJson } from '../daemon/run-command';
import { RetryingSender, type SentNotification } from '../fakes/retrying-sender';
import type { WitnessTarget } from '../fakes/witness-target';
import { runWitnessed, untilDrained } from './witnessed-run';

export interface RestorePlan {
  /** Notifications per second, from before the backup until the original is destroyed, and after the restore. */
  perSecond: number;
  /** How many are acknowledged before the backup, between it and the end of the original, and after the restore. */
  count: number;
  /** Zeros that make the database larger, so that notifications arrive during the backup. */
  ballastMiB: number;
  /** Whether the backup is made one of the first release before it is restored. */
  ofFirstSchema: boolean;
}

export interface RestoreFindings {
  backup: Backup;
  backupMs: number;
  /** The longest response to a notification during the backup, in ms. */
  slowestAckMs: number;
  acknowledgedDuringBackup: number;
  /** Notifications that needed more than one attempt while the original ran. */
  retried: number;
  upgraded: string[];
  restored: Backup;
  /** The outage that the restored daemon reports. */
  outage: Outage | undefined;
  destroyedAt: number;
  /** When those notifications were acknowledged that the restored database does not have. */
  lostAt: number[];
  acknowledgedSince: number;
  /** These must be empty: hashes of bodies. */
  undelivered: string[];
  bodiesOfTwoIds: string[];
  idsNotFound: string[];
  /** The response to a position from after the backup. */
  lostPosition: Problem;
  /** The ends of the ids of events stored before and after the restore, which name the instance. */
  instances: { before: string[]; since: string[] };
}

/** Backs up a daemon under traffic, destroys it, restores the backup in its place, and continues the traffic. */
export function runRestore(plan: RestorePlan): Promise<RestoreFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-backup-'));
  return runWitnessed({}, async ({ daemon, target, client }) => {
    await enlarge(daemon, plan.ballastMiB);
    const { webhook_id: webhookId } = daemon.webhook;
    const before = new RetryingSender(client, plan.perSecond, webhookId);
    before.start();
    await before.waitForAcknowledged(plan.count, 60_000);

    const file = join(folder, 'backup.db');
    const backupStartedAt = Date.now();
    const backup = await runJson<Backup>(daemon.dataDir, 'backup', file);
    const backupEndedAt = Date.now();
    await before.waitForAcknowledged(plan.count, 60_000);
    before.stop();
    await before.waitUntilFinished(60_000);
    const { next_cursor: position } = await daemon.get<FollowingEvents>('/events?after=newest');
    await daemon.kill();
    const destroyedAt = Date.now();
    replaceByKeys(daemon.dataDir);

    if (plan.ofFirstSchema) await revertToFirstSchema(file);
    const restored = await runJson<{ backup: Backup; upgraded: string[] }>(daemon.dataDir, 'restore', file);
    await daemon.restart();
    const since = new RetryingSender(client, plan.perSecond, webhookId, before.notifications.length + 1);
    since.start();
    await since.waitForAcknowledged(plan.count, 60_000);
    since.stop();
    await since.waitUntilFinished(60_000);
    await untilDrained(daemon, 60_000);
    await assertBalanced(daemon);

    const stored = storedHashes(daemon);
    const kept = before.acknowledged.filter(({ hash }) => stored.has(hash));
    const duringBackup = before.acknowledged
      .map(({ acknowledgement }) => acknowledgement!)
      .filter(({ sentAt, respondedAt }) => sentAt > backupStartedAt && respondedAt < backupEndedAt);
    const { data: outages } = await daemon.get<Page<Outage>>('/outages');
    return {
      backup,
      backupMs: backupEndedAt - backupStartedAt,
      slowestAckMs: Math.max(0, ...duringBackup.map(({ sentAt, respondedAt }) => respondedAt - sentAt)),
      acknowledgedDuringBackup: duringBackup.length,
      retried: before.notifications.filter(({ attempts }) => attempts.length > 1).length,
      upgraded: restored.upgraded,
      restored: restored.backup,
      outage: outages.find(({ kind }) => kind === 'restore'),
      destroyedAt,
      lostAt: before.acknowledged
        .filter(({ hash }) => !stored.has(hash))
        .map(({ acknowledgement }) => acknowledgement!.respondedAt),
      acknowledgedSince: since.acknowledged.length,
      ...deliveriesOf(target, [...kept, ...since.acknowledged]),
      lostPosition: (await daemon.request('GET', `/events?after=${position}`)).body as Problem,
      idsNotFound: await idsNotFound(daemon, [...kept, ...since.acknowledged]),
      instances: { before: instancesOf(kept), since: instancesOf(since.acknowledged) },
    };
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}

async function enlarge(daemon: Daemon, mebibytes: number): Promise<void> {
  if (mebibytes === 0) return;
  await daemon.stop();
  daemon.alterDatabase(`CREATE TABLE ballast(bytes);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${mebibytes})
    INSERT INTO ballast SELECT zeroblob(1048576) FROM n`);
  await daemon.restart();
}

/** Destroys the data; the operator has kept the key, and the token. */
export function replaceByKeys(dataDir: string): void {
  const kept = mkdtempSync(join(tmpdir(), 'switchboard-keys-'));
  const keys = ['secret.key', 'admin.token'];
  for (const key of keys) cpSync(join(dataDir, key), join(kept, key));
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir, { mode: 0o700 });
  for (const key of keys) cpSync(join(kept, key), join(dataDir, key));
  rmSync(kept, { recursive: true });
}

function storedHashes(daemon: Daemon): Set<string> {
  const rows = daemon.rows<{ body: Buffer }>('SELECT body FROM events');
  return new Set(rows.map(({ body }) => createHash('sha256').update(body).digest('hex')));
}

/** Whether the target has received what is stored now, over both lives of the daemon, each body under one id. */
function deliveriesOf(target: WitnessTarget, stored: readonly SentNotification[]) {
  const ids = new Map<string, Set<string>>();
  for (const { hash, id } of target.succeeded) ids.set(hash, (ids.get(hash) ?? new Set()).add(id));
  return {
    undelivered: stored.map(({ hash }) => hash).filter((hash) => !ids.has(hash)),
    bodiesOfTwoIds: [...ids].filter(([, found]) => found.size > 1).map(([hash]) => hash),
  };
}

/** Of the first and the last of the acknowledged ids, those that the restored daemon does not know. */
async function idsNotFound(daemon: Daemon, acknowledged: readonly SentNotification[]): Promise<string[]> {
  const missing: string[] = [];
  for (const { acknowledgement } of [acknowledged[0]!, acknowledged.at(-1)!]) {
    const { id } = acknowledgement!;
    if ((await daemon.request('GET', `/events/${id}`)).status !== 200) missing.push(id!);
  }
  return missing;
}

const INSTANCE_LENGTH = 8;
const instancesOf = (acknowledged: readonly SentNotification[]) => [
  ...new Set(acknowledged.map(({ acknowledgement }) => acknowledgement!.id!.slice(-INSTANCE_LENGTH))),
];
