import type { Backups, Backup } from '../contract/backup';
import type { EventSummary } from '../contract/event';
import type { HubHealth, Issue } from '../contract/health';
import type { Page } from '../contract/page';
import type { SettingsView } from '../contract/settings';
import { fail, pass, unknown, type CheckResult } from './check-result';
import type { HubClient } from './remote/hub-client';
import { isScopeMissing } from './remote/hub-failures';
import { describeIssue } from './describe-issue';

/** If the newest event is further in the future than this, the system clock was set back. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The issues that each check reports, by the area of their code; all others belong to the last one. */
const CHECKS = {
  clock: ['clock'],
  connection: ['connection'],
  subscription: ['subscription'],
  reachability: ['certificate'],
  notifications: ['notification', 'outage'],
  targets: ['target'],
  deliveries: ['delivery'],
  backup: ['backup'],
  alerts: [],
} satisfies Record<string, string[]>;
type CheckName = keyof typeof CHECKS;

export const DAEMON_CHECKS = Object.keys(CHECKS) as CheckName[];

/**
 * What the hub itself knows, as the Overview shows it, and what only this command finds out. A condition is reported
 * by one check: what the hub has found already is not checked again.
 */
export async function* checkDaemon(daemon: HubClient): AsyncGenerator<CheckResult> {
  yield pass('daemon', 'The daemon is running and ready.');
  let health: HubHealth;
  try {
    health = await daemon.request('GET', '/api/v1/health');
  } catch (error) {
    for (const name of DAEMON_CHECKS) yield requestFailed(name, error);
    return;
  }
  for (const name of DAEMON_CHECKS) {
    const issues = health.issues.filter((issue) => checkOf(issue) === name);
    const results = issues.map((issue) => fromIssue(name, issue));
    const isFound = results.some(({ ok }) => ok === false);
    if (name === 'targets' || !isFound) yield await checkThroughDaemon(name, daemon, health);
    yield* results;
  }
}

function checkOf({ code }: Issue): CheckName | null {
  // The check of the reachability has just been made again.
  if (code === 'subscription.unreachable') return null;
  const area = code.split('.')[0]!;
  return DAEMON_CHECKS.find((name) => (CHECKS[name] as string[]).includes(area)) ?? 'alerts';
}

/** A remark, or what operators have snoozed, is no problem. */
function fromIssue(name: string, issue: Issue): CheckResult {
  const sentence = describeIssue(issue);
  if (issue.severity === 'info' || issue.snoozed !== null) return pass(name, sentence);
  return fail(name, sentence, issue.remedy ?? 'See the Overview of the dashboard.');
}

/** The result of a check without issues. If its request to the daemon fails, so does the check. */
async function checkThroughDaemon(
  name: CheckName,
  daemon: HubClient,
  health: HubHealth,
): Promise<CheckResult> {
  try {
    return await WITHOUT_ISSUES[name](daemon, health);
  } catch (error) {
    return requestFailed(name, error);
  }
}

const WITHOUT_ISSUES: Record<
  CheckName,
  (daemon: HubClient, health: HubHealth) => CheckResult | Promise<CheckResult>
> = {
  clock: async (daemon) => checkClock(await daemon.request('GET', '/api/v1/events', { query: { limit: 1 } })),
  connection: async (daemon) => {
    const connection = await daemon.request('GET', '/api/v1/connection');
    return fromDaemon(
      'connection',
      connection,
      connection.state === 'connected' || connection.state === 'renewing',
    );
  },
  subscription: async (daemon, { issues }) => {
    const subscription = await daemon.request('GET', '/api/v1/subscription');
    const { state, problem, sentence } = subscription;
    // Without a connection there is no subscription.
    if (issues.some(({ code }) => code === 'connection.missing')) return unknown('subscription', sentence);
    return fromDaemon('subscription', subscription, state === 'active' && problem === null);
  },
  reachability: async (daemon) => {
    const check = await daemon.request('POST', '/api/v1/subscription/reachability');
    return fromDaemon('reachability', check, check.cause === null);
  },
  notifications: () =>
    pass('notifications', 'Nothing was missed, rejected or lost that nobody has looked at.'),
  targets: async (daemon) => describeAddressRules(await daemon.request('GET', '/api/v1/settings')),
  deliveries: (_, { issues }) => {
    // Their dead letters are not told twice.
    const areGone = issues.some(({ code }) => code === 'target.disabled');
    return pass('deliveries', `No dead letters${areGone ? ' but those of targets that are gone' : ''}.`);
  },
  backup: async (daemon) => checkBackup(await daemon.request('GET', '/api/v1/backups')),
  alerts: () => pass('alerts', 'No other active alerts.'),
};

/** Only shows the address rules: targets that violate them are reported as issues. */
function describeAddressRules({ host, target_allow: allow, target_deny: deny }: SettingsView): CheckResult {
  const explanation = allow.includes('public')
    ? `, with HOST ${host}; private networks and this machine are not allowed unless SWITCHBOARD_TARGET_ALLOW lists them`
    : '';
  return pass('targets', `Allowed addresses: ${allow.join(', ')}; denied: ${deny.join(', ')}${explanation}.`);
}

const requestFailed = (name: string, error: unknown): CheckResult =>
  isScopeMissing(error)
    ? unknown(name, `Skipped: ${error.detail}`)
    : fail(name, (error as Error).message, 'See the log of the daemon.');

function checkClock({ data: [newest] }: Page<EventSummary>): CheckResult {
  if (newest === undefined) return pass('clock', 'There is no event yet to compare the clock with.');
  const aheadMs = Date.parse(newest.received_at) - Date.now();
  if (aheadMs <= CLOCK_TOLERANCE_MS)
    return pass('clock', 'The newest event is in the past, as it should be.');
  return fail(
    'clock',
    `The newest event was received at ${newest.received_at}, which is in the future.`,
    'The system clock was probably set back. Synchronize it with NTP.',
  );
}

/** A check whose sentence and remedy come from the daemon's response. */
const fromDaemon = (
  name: string,
  { sentence, remedy }: { sentence: string; remedy: string | null },
  ok: boolean,
): CheckResult => ({ name, ok, sentence, remedy: ok ? null : remedy });

/** Scheduled backups may be one interval late. */
const MAX_BACKUP_INTERVALS = 2;

function checkBackup({ latest, schedule }: Backups): CheckResult {
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
