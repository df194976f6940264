import type { Issue } from '../contract/health';
import type { DaemonList } from '../contract/daemon';
import type { SettingsView } from '../contract/settings';
import type { Target } from '../contract/target';
import type { HubFlags } from './definitions/hub-flags';
import { describeIssue } from './describe-issue';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import { formatSize } from '../relay/ground/format-size';
import type { HubClient } from './remote/hub-client';
import { isScopeMissing } from './remote/hub-failures';
import { troubleOf } from './remote/targets/target-view';

const ALL = { query: { limit: 200 } };

/** `status`. @throws CommandFailed if the token may not read */
export async function status(hub: HubClient, { json, check }: HubFlags & { check?: true }): Promise<void> {
  const [health, stored, alerts, connection, subscription, outages, stats, targets, disk, daemons] =
    await Promise.all([
      hub.request('GET', '/api/v1/health'),
      hub.request('GET', '/api/v1/events/count'),
      hub.request('GET', '/api/v1/alerts', ALL),
      hub.request('GET', '/api/v1/connection'),
      hub.request('GET', '/api/v1/subscription'),
      hub.request('GET', '/api/v1/outages', ALL),
      hub.request('GET', '/api/v1/stats'),
      hub.request('GET', '/api/v1/targets', ALL),
      diskOf(hub),
      hub.request('GET', '/api/v1/daemons'),
    ]);
  if (check && !health.ok) process.exitCode = EXIT.no;
  if (json) {
    const all = {
      health,
      stored,
      alerts: alerts.data,
      connection,
      subscription,
      outages: outages.data,
      stats,
      targets: targets.data,
      disk,
      daemons,
    };
    process.stdout.write(`${jsonLine(all)}\n`);
    return;
  }
  const lines = [
    ...health.issues.map((issue) => `Issue         ${describeIssue(issue)} ${issue.remedy ?? ''}`.trimEnd()),
    `Connection    ${connection.sentence}`,
    `Subscription  ${subscription.sentence}`,
    `Events        ${stored.estimated ? 'about ' : ''}${stored.count} stored, ${stats.received.accepted} of them since ${stats.started_at}, ${stats.received.duplicate} duplicates, ${stats.received.rejected} quarantined, ${stats.received.not_stored} not stored`,
    `Deliveries    ${stats.deliveries.open} queued, ${stats.deliveries.dead} dead letters`,
    `Disk          ${describeDisk(disk)}`,
    ...daemons.map((one) => `Daemon        ${describeDaemon(one)}`),
    ...targets.data.map(
      (target) =>
        `Target        ${target.name}  ${describeTarget(target, health.issues)}  ${target.url ?? 'listener'}`,
    ),
  ];
  process.stdout.write(`${lines.map(oneLine).join('\n')}\n`);
}

function describeDaemon({
  address,
  version,
  leader,
  alive,
  targets,
  alive_until: aliveUntil,
}: DaemonList[number]): string {
  const state = leader ? 'leads' : alive ? 'receives' : `not seen since its lease ended at ${aliveUntil}`;
  return `${address}  ${state}, delivers to ${targets} ${targets === 1 ? 'target' : 'targets'}, version ${version}`;
}

/** The most important state, since when and why, and what is queued. */
function describeTarget(target: Target, issues: readonly Issue[]): string {
  const { id, backlog, health } = target;
  const [state] = health.states;
  const since = issues.find(({ target_id: about, since: at }) => about === id && at !== null)?.since;
  const from = since === undefined || state === 'active' ? '' : ` since ${since}`;
  const trouble = troubleOf(target);
  return `${state}${from}${trouble === '' ? '' : ` (${trouble})`}, ${backlog.open} queued`;
}

/** Null if the token may not see it. */
async function diskOf(hub: HubClient): Promise<SettingsView['disk'] | null> {
  try {
    return (await hub.request('GET', '/api/v1/settings')).disk;
  } catch (error) {
    if (isScopeMissing(error)) return null;
    throw error;
  }
}

function describeDisk(disk: SettingsView['disk'] | null): string {
  if (disk === null) return 'not shown: it needs a token with the scope admin';
  const { database_bytes: database, log_bytes: log, free_bytes: free } = disk;
  const used = `${formatSize(database)} used by the database`;
  return free === null
    ? `${used}, on the disk of its server`
    : `${used}, of which ${formatSize(log)} write-ahead log; ${formatSize(free)} free`;
}
