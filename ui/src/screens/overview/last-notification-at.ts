import { isSystemEvent } from '../../labels/system-events';
import type { OverviewData } from './find-issues';

/** When Co-Pilot was last heard: what the daemon has noted since its start, or else the newest event that is stored. */
export function lastNotificationAt({ subscription, latest }: OverviewData): string | null {
  const newest = latest?.find(({ type }) => !isSystemEvent(type));
  return subscription?.last_notification_at ?? newest?.received_at ?? null;
}
