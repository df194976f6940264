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
  'relay.database.old_snapshot',
  'relay.database.rows_lost',
  'relay.delivery.dead',
  'relay.disk.failed',
  'relay.disk.low',
  'relay.machine.fault',
  'relay.notification.not_stored',
  'relay.retention.cancelled',
  'relay.retention.dead_removed',
  'relay.retention.removed_early',
  'relay.retention.too_large',
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
