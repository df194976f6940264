import type { Stats } from '@contract/stats';
import type { Target } from '@contract/target';
import { CONNECTION_LABELS, subscriptionLabel } from '../../labels/connection-labels';
import { formatCount, formatMilliseconds, formatNoun } from '../../format/number';
import { formatRelative } from '../../format/relative';
import { lastNotificationAt, type OverviewData } from './overview-data';

/** The state of the connection, then of the targets, in two sentences; empty while loading. */
export function describeHealth(data: OverviewData, now: number): string {
  const { connection, subscription, stats, targets } = data;
  const lastAt = lastNotificationAt(data);
  if (connection === undefined || subscription === undefined || stats === undefined) return '';
  if (targets === undefined || lastAt === undefined) return '';
  const isHealthy =
    connection.state === 'connected' && subscription.state === 'active' && subscription.problem === null;
  const states = [
    CONNECTION_LABELS[connection.state].label,
    subscriptionLabel(subscription).label.toLowerCase(),
  ].join(isHealthy ? ' and ' : ', ');
  const last = lastAt === null ? 'no notification yet' : `last notification ${formatRelative(lastAt, now)}`;
  const latency =
    stats.ack_ms === null ? '' : `, acknowledged in ${formatMilliseconds(stats.ack_ms.p99)} (p99)`;
  return `${states}; ${last}${latency}.${describeTargets(targets, stats)}`;
}

function describeTargets(targets: readonly Target[], { deliveries: { open } }: Stats): string {
  if (targets.length === 0) return '';
  const active = targets.filter(({ health }) => health.states.includes('active'));
  const all = active.length === targets.length;
  const activeOf = all ? '' : `${formatCount(active.length)} of `;
  const count = formatNoun(targets.length, 'target');
  const backlog = open === 0 ? 'no backlog' : `${formatNoun(open, 'delivery', 'deliveries')} queued`;
  return ` ${activeOf}${count} active, ${backlog}.`;
}
