import { UNREADABLE_TYPE } from '../../contract/event';
import type { TargetRecord } from './target-record';

/**
 * The targets that an event goes to: those that are enabled and accept it, paused ones included. What cannot be read
 * at all passes no filter.
 * @param readContent gives the event's JSON, parsed; asked once at most, and only where a filter wants to know
 */
export function acceptingTargets(
  event: { type: string },
  targets: readonly TargetRecord[],
  readContent: () => unknown,
): TargetRecord[] {
  const accepting = targets.filter((target) => target.enabled && target.accepts(event));
  if (accepting.every(({ matches }) => matches === null)) return accepting;
  if (event.type === UNREADABLE_TYPE) return accepting.filter(({ matches }) => matches === null);
  const content = readContent();
  return accepting.filter(({ matches }) => matches === null || matches(content));
}
