import type { AlertSummary } from '../../../../src/contract/alert';
import type { Target } from '../../../../src/contract/target';
import type { Finding, Remedy } from './issue';

const DEAD = 'relay.delivery.dead';

/** What the screens find by themselves, and the alert that tells more of it. */
const TOLD_BY: ReadonlyMap<string, string> = new Map([
  ['dead', DEAD],
  ['probe', 'relay.subscription.unreachable'],
]);

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
  alerts.some(({ type }) => type === TOLD_BY.get(id));

/** Where to act on it; what is to be done stands in its own words. */
function remedyOf({ type, data }: AlertSummary, targets: readonly Target[]): Remedy {
  if (type === DEAD) return { act: 'show-dead' };
  const target = targets.find(({ id }) => id === data['target_id']);
  if (target !== undefined) return { act: 'look-at-target', target };
  const area = type.split('.')[1];
  const isUpstream = area === 'connection' || area === 'subscription' || area === 'notification';
  return { act: isUpstream ? 'look-at-connection' : 'look-elsewhere' };
}
