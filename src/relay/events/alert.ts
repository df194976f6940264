import type { AlertSummary } from '../../contract/alert';

/** The types of all alerts. Each has a row in the table of docs/troubleshooting.md. */
export const ALERT_TYPES = [
  'relay.alerts.limit_reached',
  'relay.alerts.undelivered',
  'relay.backup.failed',
  'relay.backup.inconsistent',
  'relay.certificate.expiring',
  'relay.clock.set_ahead',
  'relay.clock.set_back',
  'relay.connection.down',
  'relay.connection.ending',
  'relay.consumer.expiring',
  'relay.consumer.pruned',
  'relay.database.old_snapshot',
  'relay.database.rows_lost',
  'relay.delivery.dead',
  'relay.disk.failed',
  'relay.disk.low',
  'relay.machine.fault',
  'relay.notification.not_stored',
  'relay.payload.changed',
  'relay.retention.cancelled',
  'relay.retention.dead_removed',
  'relay.retention.removed_early',
  'relay.retention.too_large',
  'relay.router.behind',
  'relay.subscription.down',
  'relay.subscription.unchecked',
  'relay.subscription.unreachable',
  'relay.target.address_denied',
  'relay.target.disabled',
  'relay.target.down',
  'relay.target.expiring',
  'relay.target.failing',
] as const;

/** `relay.<area>.<condition>`. */
export type AlertType = (typeof ALERT_TYPES)[number];

/** A condition that the operator must know about. */
export interface Alert {
  /** Also that of its system events. Type and subject identify an alert; raising an active one increases its count. */
  type: AlertType;
  /** Distinguishes alerts of one type, such as by a target's id or a cause; `''` if there is only one. */
  subject: string;
  severity: AlertSummary['severity'];
  /** What happened and why. */
  sentence: string;
  /** What to do. */
  remedy: string;
  /** Added to the data of its events: the current state, so each raise replaces that of the previous one. */
  data?: Record<string, unknown>;
  /** The deliveries that it was raised for. Each of its events lists those since the previous event. */
  deliveries?: readonly string[];
  /** It is resolved after this time without being raised. Absent if it lasts until `resolve` is called. */
  quietAfterMs?: number;
}
