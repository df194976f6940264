import type { AlertSummary } from '@contract/alert';
import type { Target } from '@contract/target';
import { formatNoun } from '../../format/number';
import { systemEventName } from '../../labels/system-events';
import type { Issue, Remedy } from './issue';

const DEAD = 'relay.delivery.dead';
const DISABLED = 'relay.target.disabled';

/** Issues found by the page, by the alert type that covers them. */
const COVERED_BY: ReadonlyMap<string, string> = new Map([
  ['dead', DEAD],
  ['ending', 'relay.connection.ending'],
  ['reachability', 'relay.subscription.unreachable'],
]);

/** The alert types that report the same as issues found by the page, by the first part of their ids. */
const SAME_AS: ReadonlyMap<string | undefined, string> = new Map([
  ['connection', 'relay.connection.down'],
  ['subscription', 'relay.subscription.down'],
]);

/** The causes of dead letters that follow from a response 410, which disables the target. */
const GONE: readonly unknown[] = ['gone', '410'];

/** The active alerts as issues, newest first. */
export function alertIssues(
  alerts: readonly AlertSummary[],
  targets: readonly Target[],
  found: readonly Issue[],
): Issue[] {
  return alerts
    .filter((alert) => !isToldElsewhere(alert, alerts, found))
    .map((alert) => ({
      id: alert.id,
      tone: alert.severity === 'critical' ? 'bad' : 'warn',
      subject: capitalize(systemEventName(alert.type)),
      sentence: alert.sentence,
      ...(alert.count > 1 && { count: formatNoun(alert.count, 'time') }),
      remedy: remedyOf(alert, targets),
      alert,
    }));
}

/** Whether an alert already reports this issue. */
export const isCoveredByAlert = ({ id }: Issue, alerts: readonly AlertSummary[]): boolean =>
  alerts.some(({ type }) => type === COVERED_BY.get(id));

/** An issue found by the page, with the alert that reports the same: it has a remedy and a start. */
export function withAlert(issue: Issue, alerts: readonly AlertSummary[]): Issue {
  const alert = alerts.find(({ type }) => isSame(issue, type));
  return alert === undefined ? issue : { ...issue, alert };
}

const isSame = ({ id }: Issue, alertType: string) => SAME_AS.get(id.split(':')[0]) === alertType;

/** Whether another alert, or an issue that the page has found, has the same cause. */
function isToldElsewhere(
  { type, data }: AlertSummary,
  alerts: readonly AlertSummary[],
  found: readonly Issue[],
): boolean {
  const target = data['target_id'];
  if (found.some((issue) => isSame(issue, type))) return true;
  if (type === DEAD && GONE.includes(data['error']))
    return alerts.some((other) => other.type === DISABLED && other.data['target_id'] === target);
  return type === 'relay.target.down' && found.some(({ id }) => id === `target.down:${String(target)}`);
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The screen on which to act; the alert contains its own instructions. */
function remedyOf({ type, data }: AlertSummary, targets: readonly Target[]): Remedy {
  if (type === DEAD) return { action: 'open-dead-letters' };
  const target = targets.find(({ id }) => id === data['target_id']);
  if (target !== undefined) return { action: 'open-target', target };
  const area = type.split('.')[1];
  const isUpstream = area === 'connection' || area === 'subscription' || area === 'notification';
  return { action: isUpstream ? 'open-connection' : 'none' };
}
