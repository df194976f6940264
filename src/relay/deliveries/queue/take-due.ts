import type { DeliveryClass, DueDelivery, Journal } from '../../database/journal';
import type { TargetRecord } from '../../targets/target-record';
import type { TimeBounds } from '../../ground/time-bounds';
import { CLASSES } from './ready-deliveries';
import { longestPauseMs } from '../sending/retry-schedule';

interface DueTools {
  journal: Journal;
  bounds: TimeBounds;
}

/** Deliveries that were not attempted yet: due regardless of their due time. */
const FIRST_ATTEMPTS: DeliveryClass = 0;

/** The due deliveries of a class, the longest due first. */
export function takeDue(
  { journal, bounds }: DueTools,
  { number, policy }: TargetRecord,
  ofClass: DeliveryClass,
  limit: number,
): Promise<DueDelivery[]> {
  const latest = bounds.latest();
  const now = ofClass === FIRST_ATTEMPTS ? Infinity : latest;
  return journal.takeDue(number, ofClass, now, limit, latest + longestPauseMs(policy));
}

/** The delivery of any class that has been due longest; null if none that is due is wanted. */
export async function takeOldestDue(
  tools: DueTools,
  target: TargetRecord,
  limit: number,
  isWanted: (due: DueDelivery) => boolean,
): Promise<DueDelivery | null> {
  const due = await Promise.all(CLASSES.map((ofClass) => takeDue(tools, target, ofClass, limit)));
  return due
    .flat()
    .filter(isWanted)
    .reduce<DueDelivery | null>((oldest, one) => (oldest && oldest.dueAt <= one.dueAt ? oldest : one), null);
}
