import { Command } from 'commander';
import type { AlertSummary } from '../contract/alert';
import type { Connection } from '../contract/connection';
import type { DaemonList } from '../contract/daemon';
import type { Outage } from '../contract/outage';
import type { Page } from '../contract/page';
import type { SettingsView } from '../contract/settings';
import type { Stats } from '../contract/stats';
import type { Subscription } from '../contract/subscription';
import type { Target } from '../contract/target';
import { DaemonClient } from './daemon-client';
import { describeAlert } from './describe-alert';
import { jsonLine, oneLine } from './printable';
import { formatSize } from '../relay/ground/format-size';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

export function statusCommand(): Command {
  const command = new Command('status')
    .description('show the state of connection, subscription and targets')
    .option('--json', 'print JSON');
  return withSettings(command, ['dataDir']).action(status);
}

async function status({ json, ...flags }: SettingsFlags & { json?: boolean }): Promise<void> {
  const daemon = new DaemonClient(environmentWith(flags));
  const [alerts, connection, subscription, outages, stats, targets, { disk }, daemons] = await Promise.all([
    daemon.request<Page<AlertSummary>>('GET', '/api/v1/alerts?limit=200'),
    daemon.request<Connection>('GET', '/api/v1/connection'),
    daemon.request<Subscription>('GET', '/api/v1/subscription'),
    daemon.request<Page<Outage>>('GET', '/api/v1/outages?limit=200'),
    daemon.request<Stats>('GET', '/api/v1/stats'),
    daemon.request<Page<Target>>('GET', '/api/v1/targets?limit=200'),
    daemon.request<SettingsView>('GET', '/api/v1/settings'),
    daemon.request<DaemonList>('GET', '/api/v1/daemons'),
  ]);
  if (json) {
    const all = {
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
    ...alerts.data.map((alert) => `Alert         ${describeAlert(alert)} ${alert.remedy}`),
    `Connection    ${connection.sentence}${connection.ends_at === null ? '' : ` ${connection.remedy}`}`,
    `Subscription  ${subscription.sentence}`,
    ...reachabilityLines(subscription),
    ...outages.data.filter(isRelevant).map(({ sentence }) => `Outage        ${sentence}`),
    `Events        ${stats.received.accepted} stored since ${stats.started_at}, ${stats.received.duplicate} duplicates, ${stats.received.rejected} quarantined, ${stats.received.not_stored} not stored`,
    `Deliveries    ${stats.deliveries.open} queued, ${stats.deliveries.dead} dead letters`,
    `Disk          ${describeDisk(disk)}`,
    ...daemons.map((one) => `Daemon        ${describeDaemon(one)}`),
    ...targets.data.map((target) => `Target        ${target.name}  ${describeTarget(target)}  ${target.url}`),
  ];
  process.stdout.write(`${lines.map(oneLine).join('\n')}\n`);
}

/** The result of the last reachability check, if it failed. */
function reachabilityLines({ reachability }: Subscription): string[] {
  return reachability === null || reachability.cause === null
    ? []
    : [`Reachability  ${reachability.sentence} ${reachability.remedy}`];
}

/** An outage that the operator has not dismissed; a silence only until it ends. */
function isRelevant({ kind, ended_at: endedAt, dismissed_at: dismissedAt }: Outage): boolean {
  return dismissedAt === null && (kind !== 'silence' || endedAt === null);
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

function describeTarget({ backlog, ...target }: Target): string {
  return `${describeState(target)}, ${backlog.open} queued`;
}

function describeState({
  enabled,
  disabled,
  paused,
}: Pick<Target, 'enabled' | 'disabled' | 'paused'>): string {
  if (disabled !== null) return `disabled (${disabled.reason})`;
  if (paused !== null) return `paused (${paused.reason})`;
  return enabled ? 'enabled' : 'disabled';
}

function describeDisk({ database_bytes: database, log_bytes: log, free_bytes: free }: SettingsView['disk']) {
  const used = `${formatSize(database)} used by the database`;
  return free === null
    ? `${used}, on the disk of its server`
    : `${used}, of which ${formatSize(log)} write-ahead log; ${formatSize(free)} free`;
}
