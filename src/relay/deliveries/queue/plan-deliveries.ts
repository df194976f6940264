import type { PlannedDelivery } from '../../database/journal';
import { acceptingTargets } from '../../targets/accepting-targets';
import type { TargetRecord } from '../../targets/target-record';
import { laneOf } from './lane-of';

/** Which targets an event goes to, and in which lane. @param content the event's JSON, parsed */
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
