import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../contract/constants';
import { repairOf, type SignatureParts } from '../database/journal/repair-of';
import { isJsonObject } from '../ground/parse-body';
import type { Previous } from '../filters/compile-filter';
import type { Verdict } from '../filters/verdict';
import { describedTarget } from './system-event-data';
import type { TargetRecord } from './target-record';

/**
 * The targets that receive an event: those that are enabled and accept it, including paused ones. An unreadable event
 * matches no filter. A system event about a target is not sent to that target: if it failed, it would cause the next
 * one, and so on forever. A synthetic event may name the targets that it is for.
 * @param readPayload returns the event's parsed JSON; called only if it is needed
 * @param previous what it is compared with
 */
export function acceptingTargets(
  event: { type: string } & SignatureParts,
  targets: readonly TargetRecord[],
  readPayload: () => unknown,
  previous: Previous = null,
): TargetRecord[] {
  const accepting = selectingTargets(event, targets, readPayload);
  if (accepting.every(({ matches }) => matches === null)) return accepting;
  if (event.type === UNREADABLE_TYPE) return accepting.filter(({ matches }) => matches === null);
  const payload = readPayload();
  return accepting.filter(
    (target) => target.matches === null || isSent(target.matches(payload, previous), target),
  );
}

/** Whether a target receives a synthetic event. @param payload the event's parsed JSON */
export function takesSynthetic(payload: unknown): (target: Pick<TargetRecord, 'id' | 'policy'>) => boolean {
  const mark = isJsonObject(payload) ? payload['switchboard'] : null;
  const ids = isJsonObject(mark) ? mark['target_ids'] : null;
  return ({ id, policy }) => policy.synthetic === 'deliver' && (!Array.isArray(ids) || ids.includes(id));
}

/** Those that receive the event, if their filter accepts it. */
export function selectingTargets(
  event: { type: string } & SignatureParts,
  targets: readonly TargetRecord[],
  readPayload: () => unknown,
): TargetRecord[] {
  const described = event.type.startsWith(SYSTEM_EVENT_PREFIX) ? describedTarget(readPayload()) : null;
  const takes = repairOf(event) === null ? () => true : takesSynthetic(readPayload());
  return targets.filter(
    (target) => target.enabled && target.accepts(event) && target.id !== described && takes(target),
  );
}

/** Whether a target is sent what its filter judges so. */
export const isSent = (verdict: Verdict, { policy }: Pick<TargetRecord, 'policy'>): boolean =>
  verdict ?? policy.unknown_previous === 'send';
