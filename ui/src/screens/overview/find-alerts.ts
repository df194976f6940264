import type { AlertSummary } from '../../../../src/contract/alert';
import type { Target } from '../../../../src/contract/target';
import type { Finding, Remedy } from './finding';

/** The id of what the screens find by themselves and an alert tells more of. */
function toldMoreOf({ type, data }: AlertSummary): unknown {
  if (type === 'relay.delivery.dead') return 'dead';
  if (type === 'relay.subscription.unreachable') return 'probe';
  return type === 'relay.target.disabled' ? data['target_id'] : null;
}

/** The active alerts as findings, newest first. */
export function findAlerts(alerts: readonly AlertSummary[], targets: readonly Target[]): Finding[] {
  return alerts.map((alert) => ({
    id: alert.id,
    tone: alert.severity === 'critical' ? 'bad' : 'warn',
    sentence: alert.sentence,
    remedy: remedyOf(alert, targets),
    alert,
  }));
}

/** Whether a finding says what an alert says already. */
export const isToldByAlert = ({ id }: Finding, alerts: readonly AlertSummary[]): boolean =>
  alerts.some((alert) => toldMoreOf(alert) === id);

/** Where to act on it; what is to be done stands in its own words. */
function remedyOf({ type, data }: AlertSummary, targets: readonly Target[]): Remedy {
  if (type.startsWith('relay.delivery.')) return { act: 'show-dead' };
  const target = targets.find(({ id }) => id === data['target_id']);
  if (target !== undefined) return { act: 'look-at-target', target };
  const area = type.split('.')[1];
  const isUpstream = area === 'connection' || area === 'subscription' || area === 'notification';
  return { act: isUpstream ? 'look-at-connection' : 'look-elsewhere' };
}
