import type { Duplicate } from '../../../contract/duplicate';
import type { Rejection } from '../../../contract/rejection';
import { countOf, draftIssue, type IssueDraft } from './draft-issue';

const SLOW_ACK_MS = 2_500;
const RECENT_MS = 24 * 3_600_000;

interface NotificationFacts {
  /** The time in ms within which 99 of 100 notifications are acknowledged; null before the first. */
  p99: number | null;
  /** The newest first. */
  rejections: readonly Rejection[];
  /** The newest that are held back first. */
  duplicates: readonly Duplicate[];
  now: number;
}

/** What was rejected or held back within a day, and slow acknowledgements. */
export function* notificationIssues(facts: NotificationFacts): Generator<IssueDraft> {
  const { p99, rejections, duplicates, now } = facts;
  const isRecent = ({ received_at: at }: { received_at: string }) => now - Date.parse(at) < RECENT_MS;
  if (p99 !== null && p99 > SLOW_ACK_MS)
    yield draftIssue({
      code: 'notification.slow',
      id: 'ack',
      sentence: `One in a hundred notifications is acknowledged after more than ${(p99 / 1_000).toFixed(1)} s; Co-Pilot waits 5 s.`,
      remedy: 'Check the disk and the load of this machine.',
    });
  if (rejections.some(isRecent))
    yield draftIssue({
      code: 'notification.rejected',
      id: 'rejection',
      sentence: 'Notifications with an invalid signature were rejected in the last 24 hours.',
      remedy: 'Look at them in the quarantine.',
    });
  const held = duplicates.filter(isRecent);
  if (held.length > 0)
    yield draftIssue({
      code: 'notification.held',
      id: 'held',
      severity: 'info',
      sentence: `${countOf(held.length, 'duplicate notification')} held back in the last 24 hours.`,
      event_id: held[0]!.event_id,
    });
}
