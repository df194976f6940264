import type { AlertSummary } from '@contract/alert';
import type { Target } from '@contract/target';
import type { Issue, Remedy } from './issue';

const DEAD = 'relay.delivery.dead';

/** Issues found by the page, by the alert type that covers them. */
const COVERED_BY: ReadonlyMap<string, string> = new Map([
  ['dead', DEAD],
  ['reachability', 'relay.subscription.unreachable'],
]);

/** The active alerts as issues, newest first. */
export function alertIssues(alerts: readonly AlertSummary[], targets: readonly Target[]): Issue[] {
  return alerts.map((alert) => ({
    id: alert.id,
    tone: alert.severity === 'critical' ? 'bad' : 'warn',
    sentence: alert.sentence,
    remedy: remedyOf(alert, targets),
    alert,
  }));
}

/** Whether an alert already reports this issue. */
export const isCoveredByAlert = ({ id }: Issue, alerts: readonly AlertSummary[]): boolean =>
  alerts.some(({ type }) => type === COVERED_BY.get(id));

/** The screen on which to act; the alert contains its own instructions. */
function remedyOf({ type, data }: AlertSummary, targets: readonly Target[]): Remedy {
  if (type === DEAD) return { action: 'open-dead-letters' };
  const target = targets.find(({ id }) => id === data['target_id']);
  if (target !== undefined) return { action: 'open-target', target };
  const area = type.split('.')[1];
  const isUpstream = area === 'connection' || area === 'subscription' || area === 'notification';
  return { action: isUpstream ? 'open-connection' : 'none' };
}
