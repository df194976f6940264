import { UNREADABLE_TYPE } from '../../contract/constants';
import type { TargetRecord } from './target-record';

/**
 * The targets that receive an event: those that are enabled and accept it, including paused ones. An unreadable
 * event matches no filter.
 * @param readPayload returns the event's parsed JSON; called at most once, and only if a filter needs it
 */
export function acceptingTargets(
  event: { type: string },
  targets: readonly TargetRecord[],
  readPayload: () => unknown,
): TargetRecord[] {
  const accepting = targets.filter((target) => target.enabled && target.accepts(event));
  if (accepting.every(({ matches }) => matches === null)) return accepting;
  if (event.type === UNREADABLE_TYPE) return accepting.filter(({ matches }) => matches === null);
  const payload = readPayload();
  return accepting.filter(({ matches }) => matches === null || matches(payload));
}
