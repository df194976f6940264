import type { Connection } from '@contract/connection';
import type { EventSummary } from '@contract/event';
import type { HubHealth } from '@contract/health';
import type { Stats } from '@contract/stats';
import type { Subscription } from '@contract/subscription';
import type { Target } from '@contract/target';
import { isSystemEvent } from '../../labels/system-events';

/** The data of the overview, as far as it is loaded. */
export interface OverviewData {
  health: HubHealth | undefined;
  connection: Connection | undefined;
  subscription: Subscription | undefined;
  stats: Stats | undefined;
  targets: Target[] | undefined;
  /** The latest events. */
  latest: EventSummary[] | undefined;
}

/** The time of the last notification; undefined while it is not known. */
export function lastNotificationAt({ subscription, latest }: OverviewData): string | null | undefined {
  if (subscription === undefined || latest === undefined) return undefined;
  const newest = latest.find(({ type }) => !isSystemEvent(type));
  const times = [subscription.last_notification_at, newest?.received_at ?? null].filter((at) => at !== null);
  return times.toSorted().at(-1) ?? null;
}
