import type { PlannedDelivery } from '../../database/journal';
import { acceptingTargets } from '../../targets/accepting-targets';
import type { TargetRecord } from '../../targets/target-record';
import { laneOf } from './lane-of';

/** The targets that receive an event, and the lane of each delivery. @param content the event's parsed JSON */
export function planDeliveries(
  event: { type: string; entity: string | null },
  targets: readonly TargetRecord[],
  content: unknown,
): PlannedDelivery[] {
  return acceptingTargets(event, targets, () => content).map(({ number, policy }) => ({
    target: number,
    lane: laneOf(policy.ordering, event.entity),
    ...(policy.duplicates === 'deliver' && { takesRepeats: true }),
  }));
}
