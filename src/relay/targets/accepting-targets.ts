import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../contract/constants';
import { describedTarget } from './system-event-data';
import type { TargetRecord } from './target-record';

/**
 * The targets that receive an event: those that are enabled and accept it, including paused ones. An unreadable event
 * matches no filter. A system event about a target is not sent to that target: if it failed, it would cause the next
 * one, and so on forever.
 * @param readPayload returns the event's parsed JSON; called only if it is needed
 */
export function acceptingTargets(
  event: { type: string },
  targets: readonly TargetRecord[],
  readPayload: () => unknown,
): TargetRecord[] {
  const described = event.type.startsWith(SYSTEM_EVENT_PREFIX) ? describedTarget(readPayload()) : null;
  const accepting = targets.filter(
    (target) => target.enabled && target.accepts(event) && target.id !== described,
  );
  if (accepting.every(({ matches }) => matches === null)) return accepting;
  if (event.type === UNREADABLE_TYPE) return accepting.filter(({ matches }) => matches === null);
  const payload = readPayload();
  return accepting.filter(({ matches }) => matches === null || matches(payload));
}
