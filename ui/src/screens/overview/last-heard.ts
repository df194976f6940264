import { isOwnType } from '../../labels/system-events';
import type { Known } from './find-issues';

/** When Co-Pilot was last heard: what the daemon has noted since its start, or else the newest event that is stored. */
export function lastHeard({ subscription, latest }: Known): string | null {
  const newest = latest?.find(({ type }) => !isOwnType(type));
  return subscription?.last_notification_at ?? newest?.received_at ?? null;
}
