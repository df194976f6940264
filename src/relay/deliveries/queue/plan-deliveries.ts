import type { SignatureParts } from '../../database/journal/repair-of';
import type { PlannedDelivery } from '../../database/journal/journal';
import { acceptingTargets } from '../../targets/accepting-targets';
import type { TargetRecord } from '../../targets/target-record';
import { laneOf } from './lane-of';

/** The deliveries to create with an event; those to routed targets follow. @param payload the event's parsed JSON */
export function planDeliveries(
  event: { type: string; entity: string | null } & SignatureParts,
  targets: readonly TargetRecord[],
  payload: unknown,
): PlannedDelivery[] {
  const planned = targets.filter(({ routing }) => routing === null);
  return acceptingTargets(event, planned, () => payload).map(({ number, policy }) => ({
    target: number,
    lane: laneOf(policy.ordering, event.entity),
    ...(policy.duplicates === 'deliver' && { takesDuplicates: true }),
  }));
}
