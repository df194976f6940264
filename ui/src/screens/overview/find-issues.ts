import type { Connection } from '@contract/connection';
import type { DaemonList } from '@contract/daemon';
import type { Duplicate } from '@contract/duplicate';
import type { Outage } from '@contract/outage';
import type { Rejection } from '@contract/rejection';
import type { Snooze } from '@contract/snooze';
import type { Stats } from '@contract/stats';
import type { Subscription } from '@contract/subscription';
import { daemonName } from '../../labels/daemon-labels';
import { CONNECTION_LABELS, needsConsent } from '../../labels/connection-labels';
import { formatCount, formatMilliseconds, formatNoun } from '../../format/number';
import { formatRelative } from '../../format/relative';
import type { Tone } from '../../labels/state-label';
import { alertIssues, isCoveredByAlert, withAlert } from './find-alerts';
import type { Issue, Remedy } from './issue';
import type { OverviewData } from './overview-data';
import { targetIssues } from './target-issues';

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
    ...daemonIssues(data.daemons, now),
    ...rejectionIssues(data.newestRejection, now),
    ...duplicateIssues(data.heldDuplicates, now),
  ];
  const issues = [
    ...alertIssues(alerts, targets, found),
    ...found.filter((issue) => !isCoveredByAlert(issue, alerts)).map((issue) => withAlert(issue, alerts)),
  ];
  return issues.toSorted((one, other) => RANK[one.tone] - RANK[other.tone]);
}

/** Separates the issues that are snoozed. */
export function splitSnoozed(
  issues: readonly Issue[],
  snoozes: readonly Snooze[],
  now: number,
): { shown: Issue[]; snoozed: Issue[] } {
  const hidden = new Set(
    snoozes
      .filter(({ until }) => until === null || new Date(until).getTime() > now)
      .map(({ issue }) => issue),
  );
  return {
    shown: issues.filter(({ id }) => !hidden.has(id)),
    snoozed: issues.filter(({ id }) => hidden.has(id)),
  };
}

const RANK: Record<Tone, number> = { bad: 0, warn: 1, busy: 2, idle: 2, ok: 2 };

function connectionIssues(connection: Connection | undefined): Issue[] {
  if (connection === undefined) return [];
  const { tone } = CONNECTION_LABELS[connection.state];
  const missing = connection.scopes_missing;
  const isEnding = Boolean(connection.ends_at);
  if (tone === 'ok' && !isEnding && missing.length === 0) return [];
  if (tone === 'busy') return [];
  const sentence =
    tone === 'ok' && !isEnding ? `Co-Pilot has not granted ${missing.join(', ')}` : connection.sentence;
  const remedy: Remedy = needsConsent(connection)
    ? { action: 'consent', again: connection.state !== 'not_connected' }
    : { action: 'open-connection' };
  const id =
    connection.state === 'not_connected'
      ? 'not-connected'
      : isEnding
        ? 'ending'
        : `connection:${connection.state}`;
  return [{ id, tone: tone === 'ok' ? 'warn' : tone, subject: 'Connection', sentence, remedy }];
}

function subscriptionIssues(
  connection: Connection | undefined,
  subscription: Subscription | undefined,
): Issue[] {
  // Without a connection there is no subscription; one issue is enough.
  if (subscription === undefined || connection?.state === 'not_connected') return [];
  const { state, sentence } = subscription;
  const subject = { id: `subscription:${state}`, subject: 'Subscription' };
  if (state === 'failed')
    return [{ ...subject, tone: 'bad', sentence, remedy: { action: 'open-connection' } }];
  if (state === 'paused')
    return [{ ...subject, tone: 'warn', sentence, remedy: { action: 'resume-subscription' } }];
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
    {
      id: 'reachability',
      tone: reached ? 'warn' : 'bad',
      subject: 'Reachability',
      sentence,
      remedy: { action: 'open-connection' },
    },
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
    issues.push({
      id: 'silence',
      tone: 'bad',
      subject: 'Silence',
      sentence,
      remedy: { action: 'open-connection', section: 'outages' },
    });
  }
  const [newest, ...others] = open.filter((one) => !isOngoing(one));
  if (newest !== undefined) {
    const more = others.length === 0 ? '' : ` Plus ${formatNoun(others.length, 'earlier outage')}.`;
    const sentence = newest.sentence + more;
    issues.push({
      id: newest.id,
      tone: 'warn',
      subject: 'Outage',
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
    issues.push({
      id: 'ack',
      tone: 'bad',
      subject: 'Responses to Co-Pilot',
      sentence: 'are slow. Check this machine’s disk and load; the limit is 5 s',
      count: `${formatMilliseconds(stats.ack_ms.p99)} (p99)`,
      remedy: { action: 'none' },
    });
  }
  if (stats.deliveries.dead > 0) {
    issues.push({
      id: 'dead',
      tone: 'bad',
      subject: 'Dead letters',
      sentence: 'need to be retried or discarded',
      count: formatCount(stats.deliveries.dead),
      remedy: { action: 'open-dead-letters' },
    });
  }
  return issues;
}

function daemonIssues(daemons: DaemonList | undefined, now: number): Issue[] {
  const dead = daemons?.filter(({ alive }) => !alive) ?? [];
  return dead.map((daemon) => ({
    id: `daemon:${daemon.id}`,
    tone: 'warn',
    subject: `Daemon ${daemonName(daemon)}`,
    sentence: `is not alive: its lease ended ${formatRelative(daemon.alive_until, now)}. Start it again, or check whether it reaches the database`,
    remedy: { action: 'open-daemons' },
  }));
}

function rejectionIssues(rejection: Rejection | undefined, now: number): Issue[] {
  if (rejection === undefined || now - new Date(rejection.received_at).getTime() > RECENT_MS) return [];
  return [
    {
      id: 'rejection',
      tone: 'warn',
      subject: 'Quarantine',
      sentence: 'Notifications with an invalid signature were rejected in the last 24 hours',
      remedy: { action: 'open-connection', section: 'quarantine' },
    },
  ];
}

function duplicateIssues(duplicates: Duplicate[] | undefined, now: number): Issue[] {
  const recent = duplicates?.filter(({ received_at: at }) => now - new Date(at).getTime() < RECENT_MS) ?? [];
  const [newest] = recent;
  if (newest === undefined) return [];
  return [
    {
      id: 'held',
      tone: 'idle',
      subject: 'Duplicate notifications',
      sentence: 'were held back in the last 24 hours',
      count: formatNoun(recent.length, 'duplicate'),
      remedy: { action: 'open-event', event: newest.event_id },
    },
  ];
}
