import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../../contract/constants';
import { repairOf, type SignatureParts } from '../../database/journal/repair-of';
import { explainMismatch } from '../../filters/explain-mismatch';
import { takesSynthetic } from '../../targets/accepting-targets';
import { describedTarget, isSentAsMessage } from '../../targets/system-event-data';
import type { TargetRecord } from '../../targets/target-record';
import type { TargetFinding } from './explain-delivery';
import { toIso } from '../../ground/iso-time';

interface ReceivedEvent extends SignatureParts {
  type: string;
  /** Ms since 1970. */
  receivedAt: number;
}

/**
 * Why a target has no delivery of an event. Only the current settings are known, so a reason that follows from
 * settings that were changed after the event says so.
 * @param readPayload returns the event's parsed JSON; called only if a filter needs it
 */
export function explainMissingDelivery(
  event: ReceivedEvent,
  target: TargetRecord,
  readPayload: () => unknown,
  compared: Parameters<typeof explainMismatch>[2],
): TargetFinding {
  const [brief, sentence] = whyNotAccepted(event, target, readPayload, compared) ?? [
    'not accepted then',
    'It would receive the event now, but did not when the event was received.',
  ];
  const changedLater = target.updatedAt > event.receivedAt && target.createdAt <= event.receivedAt;
  const note = changedLater
    ? ` These are its current settings; it was last changed at ${toIso(target.updatedAt)}, after the event.`
    : '';
  return { outcome: 'not_sent', brief, reason: `${sentence}${note}` };
}

/** Why a target does not receive an event, by its current settings; null if it does. */
export function whyNotAccepted(
  event: ReceivedEvent,
  target: TargetRecord,
  readPayload: () => unknown,
  compared: Parameters<typeof explainMismatch>[2],
): [brief: string, sentence: string] | null {
  const { id, createdAt, enabled, disabled, format, filter, events, matches, policy } = target;
  if (createdAt > event.receivedAt)
    return ['created later', `It was created at ${toIso(createdAt)}, after the event was received.`];
  if (!target.accepts(event))
    return ['type not selected', `It does not receive ${event.type}, only ${events.join(', ')}.`];
  if (repairOf(event) !== null && !takesSynthetic(readPayload())(target))
    return ['synthetic', 'It does not receive events that repairs have made, or not those of this repair.'];
  if (event.type.startsWith(SYSTEM_EVENT_PREFIX) && describedTarget(readPayload()) === id)
    return ['about this target', 'The event is about this target, so it is sent to the others only.'];
  if (format !== 'json' && !isSentAsMessage(readPayload()))
    return ['no alert', `With the format ${format} it receives alerts and outages only.`];
  if (filter !== null && event.type === UNREADABLE_TYPE)
    return ['excluded by a filter', 'The event is unreadable, and unreadable events match no filter.'];
  const mismatch = filter === null ? null : explainMismatch(filter, readPayload(), compared);
  if (mismatch !== null) return ['excluded by a filter', `Filtered out: ${mismatch}.`];
  if (matches?.(readPayload(), compared?.previous) === null && policy.unknown_previous === 'skip')
    return [
      'excluded by a filter',
      'Filtered out: the state before the event is not known, and its policy skips such events.',
    ];
  if (disabled !== null)
    return ['disabled', `It has been disabled since ${toIso(disabled.at)}: ${disabled.reason}`];
  if (!enabled) return ['disabled', 'It is disabled and does not receive new events.'];
  return null;
}
