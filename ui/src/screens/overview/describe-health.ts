import type { Stats } from '../../../../src/contract/stats';
import type { Target } from '../../../../src/contract/target';
import { CONNECTION_LABELS, subscriptionLabel } from '../../labels/connection-labels';
import { formatCount, formatMilliseconds, formatNoun } from '../../format/number';
import { formatRelative } from '../../format/relative';
import type { OverviewData } from './find-issues';
import { lastNotificationAt } from './last-notification-at';

/** The overall state, upstream to downstream, in two sentences; empty while loading. */
export function describeHealth(data: OverviewData, now: number): string {
  const { connection, subscription, stats, targets } = data;
  if (connection === undefined || subscription === undefined || stats === undefined || targets === undefined)
    return '';
  const isHealthy = connection.state === 'connected' && subscription.state === 'active';
  const states = [
    CONNECTION_LABELS[connection.state].label,
    subscriptionLabel(subscription).label.toLowerCase(),
  ].join(isHealthy ? ' and ' : ', ');
  const lastAt = lastNotificationAt(data);
  const last = lastAt === null ? 'no notification yet' : `last notification ${formatRelative(lastAt, now)}`;
  const answered =
    stats.ack_ms === null ? '' : `, acknowledged in ${formatMilliseconds(stats.ack_ms.p99)} (p99)`;
  return `${states}; ${last}${answered}.${describeTargets(targets, stats)}`;
}

function describeTargets(targets: readonly Target[], { deliveries: { open } }: Stats): string {
  if (targets.length === 0) return '';
  const up = targets.filter(({ enabled, paused, breaker }) => enabled && paused === null && breaker === null);
  const all = up.length === targets.length;
  const of = all ? '' : `${formatCount(up.length)} of `;
  const takes = formatNoun(targets.length, 'target');

  const waits = open === 0 ? 'no backlog' : `${formatNoun(open, 'delivery', 'deliveries')} queued`;
  return ` ${of}${takes} active, ${waits}.`;
}
