import type { AlertSummary } from '@contract/alert';
import type { Connection } from '@contract/connection';
import type { DaemonList } from '@contract/daemon';
import type { Duplicate } from '@contract/duplicate';
import type { EventSummary } from '@contract/event';
import type { Outage } from '@contract/outage';
import type { Rejection } from '@contract/rejection';
import type { Snooze } from '@contract/snooze';
import type { Stats } from '@contract/stats';
import type { Subscription } from '@contract/subscription';
import type { Target } from '@contract/target';
import { isSystemEvent } from '../../labels/system-events';

/** The data of the overview. Data that is not loaded yet raises no issue. */
export interface OverviewData {
  alerts: AlertSummary[] | undefined;
  connection: Connection | undefined;
  subscription: Subscription | undefined;
  stats: Stats | undefined;
  targets: Target[] | undefined;
  newestRejection: Rejection | undefined;
  /** The newest outages. */
  outages: Outage[] | undefined;
  /** The newest duplicates that are held back. */
  heldDuplicates: Duplicate[] | undefined;
  daemons: DaemonList | undefined;
  snoozes: Snooze[] | undefined;
  /** The latest events. */
  latest: EventSummary[] | undefined;
}

/** The time of the last notification since startup, or of the newest stored one; undefined while it is not known. */
export function lastNotificationAt({ subscription, latest }: OverviewData): string | null | undefined {
  if (subscription === undefined || latest === undefined) return undefined;
  const newest = latest.find(({ type }) => !isSystemEvent(type));
  return subscription.last_notification_at ?? newest?.received_at ?? null;
}
