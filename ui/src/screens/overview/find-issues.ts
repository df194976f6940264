import type { Connection } from '@contract/connection';
import type { Duplicate } from '@contract/duplicate';
import type { Outage } from '@contract/outage';
import type { Rejection } from '@contract/rejection';
import type { Stats } from '@contract/stats';
import type { Subscription } from '@contract/subscription';
import type { Target } from '@contract/target';
import { CONNECTION_LABELS, needsConsent } from '../../labels/connection-labels';
import { formatCount, formatMilliseconds, formatNoun } from '../../format/number';
import { reasonOf } from '../../labels/target-labels';
import { formatOneUnit } from '../../format/relative';
import type { Tone } from '../../labels/state-label';
import { alertIssues, isCoveredByAlert } from './find-alerts';
import type { Issue, Remedy } from './issue';
import type { OverviewData } from './overview-data';

const SLOW_ACK_MS = 2_500;
const RECENT_MS = 86_400_000;

/** Everything that needs attention, worst first; `idle` issues are only remarks. */
export function findIssues(data: OverviewData, now: number): Issue[] {
  const { alerts = [], targets = [] } = data;
  const found = [
    ...connectionIssues(data.connection),
    ...subscriptionIssues(data.connection, data.subscription),
    ...reachabilityIssues(data.subscription),
    ...outageIssues(data.outages, data.subscription),
    ...statsIssues(data.stats),
    ...targetIssues(data.targets, now),
    ...rejectionIssues(data.newestRejection, now),
    ...duplicateIssues(data.heldDuplicates, now),
  ];
  const issues = [
    ...alertIssues(alerts, targets),
    ...found.filter((issue) => !isCoveredByAlert(issue, alerts)),
  ];
  return issues.toSorted((one, other) => RANK[one.tone] - RANK[other.tone]);
}

const RANK: Record<Tone, number> = { bad: 0, warn: 1, busy: 2, idle: 2, ok: 2 };

function connectionIssues(connection: Connection | undefined): Issue[] {
  if (connection === undefined) return [];
  const { tone } = CONNECTION_LABELS[connection.state];
  const missing = connection.scopes_missing.length > 0;
  if (tone === 'ok' && !missing) return [];
  if (tone === 'busy') return [];
  const sentence =
    tone === 'ok' ? `Co-Pilot has not granted ${connection.scopes_missing.join(', ')}` : connection.sentence;
  const remedy: Remedy = needsConsent(connection)
    ? { action: 'consent', again: connection.state !== 'not_connected' }
    : { action: 'open-connection' };
  const id = connection.state === 'not_connected' ? 'not-connected' : 'connection';
  return [{ id, tone: tone === 'ok' ? 'warn' : tone, sentence, remedy }];
}

function subscriptionIssues(
  connection: Connection | undefined,
  subscription: Subscription | undefined,
): Issue[] {
  // Without a connection there is no subscription; one issue is enough.
  if (subscription === undefined || connection?.state === 'not_connected') return [];
  const { state, sentence } = subscription;
  if (state === 'failed')
    return [{ id: 'subscription', tone: 'bad', sentence, remedy: { action: 'open-connection' } }];
  if (state === 'paused')
    return [{ id: 'subscription', tone: 'warn', sentence, remedy: { action: 'resume-subscription' } }];
  return [];
}

/** A failed reachability check only matters until the next notification arrives. */
function reachabilityIssues(subscription: Subscription | undefined): Issue[] {
  const check = subscription?.reachability ?? null;
  if (check === null || check.failures === 0) return [];
  const lastAt = subscription?.last_notification_at ?? null;
  if (lastAt !== null && lastAt > check.at) return [];
  const { sentence, reached } = check;
  return [
    { id: 'reachability', tone: reached ? 'warn' : 'bad', sentence, remedy: { action: 'open-connection' } },
  ];
}

/** Outages that nobody has dismissed; an ongoing silence is the more severe one. */
function outageIssues(outages: Outage[] | undefined, subscription: Subscription | undefined): Issue[] {
  const issues: Issue[] = [];
  const open = outages?.filter(({ dismissed_at }) => dismissed_at === null) ?? [];
  const silence = subscription?.silence ?? null;
  const isDismissed = outages?.some((one) => isOngoing(one) && one.dismissed_at !== null) ?? false;
  if (silence !== null && !isDismissed) {
    const { sentence } = silence;
    issues.push({ id: 'silence', tone: 'bad', sentence, remedy: { action: 'open-connection' } });
  }
  const [newest, ...others] = open.filter((one) => !isOngoing(one));
  if (newest !== undefined) {
    const more = others.length === 0 ? '' : ` Plus ${formatNoun(others.length, 'earlier outage')}.`;
    const sentence = newest.sentence + more;
    issues.push({
      id: newest.id,
      tone: 'warn',
      sentence,
      remedy: { action: 'dismiss-outage', outage: newest },
    });
  }
  return issues;
}

const isOngoing = ({ kind, ended_at }: Outage) => kind === 'silence' && ended_at === null;

function statsIssues(stats: Stats | undefined): Issue[] {
  const issues: Issue[] = [];
  if (stats === undefined) return issues;
  if (stats.ack_ms !== null && stats.ack_ms.p99 > SLOW_ACK_MS) {
    const sentence = `Responses to Co-Pilot are slow: ${formatMilliseconds(stats.ack_ms.p99)} (p99) of the 5 s limit. Check this machine’s disk and load`;
    issues.push({ id: 'ack', tone: 'bad', sentence, remedy: { action: 'none' } });
  }
  if (stats.deliveries.dead > 0) {
    const sentence = `${formatNoun(stats.deliveries.dead, 'dead letter')} to retry or discard`;
    issues.push({ id: 'dead', tone: 'bad', sentence, remedy: { action: 'open-dead-letters' } });
  }
  return issues;
}

function targetIssues(targets: Target[] | undefined, now: number): Issue[] {
  if (targets === undefined) return [];
  if (targets.length === 0) {
    const sentence = 'There are no targets yet. Events are stored but not delivered';
    return [{ id: 'no-target', tone: 'warn', sentence, remedy: { action: 'create-target' } }];
  }
  return targets.flatMap((target) => {
    // A target that responded 410 is reported by an alert.
    if (target.disabled !== null) return [];
    if (target.paused === null)
      return target.breaker === null ? healthIssues(target, now) : breakerIssues(target);
    const sentence = `${target.name} is paused. ${queuedOf(target)}`;
    return [
      {
        id: target.id,
        tone: 'warn' as const,
        sentence,
        remedy: { action: 'resume-target' as const, target },
      },
    ];
  });
}

/** An open breaker explains the backlog, so there is no separate issue for that. */
function breakerIssues(target: Target): Issue[] {
  const reason = target.breaker === null ? '' : reasonOf(target.breaker);
  const sentence = `${target.name} is down: ${reason}. ${queuedOf(target)}; checking for recovery automatically`;
  return [{ id: target.id, tone: 'bad', sentence, remedy: { action: 'open-target', target } }];
}

const queuedOf = ({ backlog }: Target) => formatNoun(backlog.open, 'delivery queued', 'deliveries queued');

function healthIssues(target: Target, now: number): Issue[] {
  const { states, attempts, failed } = target.health;
  const remedy: Remedy = { action: 'open-target', target };
  if (states.includes('failing')) {
    const sentence = `${target.name} is failing: ${formatCount(failed)} of ${formatNoun(attempts, 'attempt')} in the last hour failed`;
    return [{ id: target.id, tone: 'bad', sentence, remedy }];
  }
  if (!states.includes('behind')) return [];
  const { oldest_at: oldest } = target.backlog;
  const age = oldest === null ? '' : `, the oldest for ${formatOneUnit(now - new Date(oldest).getTime())}`;
  const sentence = `${target.name} is falling behind: ${queuedOf(target)}${age}`;
  return [{ id: target.id, tone: 'warn', sentence, remedy }];
}

function rejectionIssues(rejection: Rejection | undefined, now: number): Issue[] {
  if (rejection === undefined || now - new Date(rejection.received_at).getTime() > RECENT_MS) return [];
  const sentence = 'Notifications with an invalid signature were quarantined in the last 24 hours';
  return [{ id: 'rejection', tone: 'warn', sentence, remedy: { action: 'open-connection' } }];
}

function duplicateIssues(duplicates: Duplicate[] | undefined, now: number): Issue[] {
  const recent = duplicates?.filter(({ received_at: at }) => now - new Date(at).getTime() < RECENT_MS) ?? [];
  const [newest] = recent;
  if (newest === undefined) return [];
  const count = formatNoun(recent.length, 'duplicate notification was', 'duplicate notifications were');
  const sentence = `${count} held back in the last 24 hours`;
  return [{ id: 'held', tone: 'idle', sentence, remedy: { action: 'open-event', event: newest.event_id } }];
}
