import { PRIORITY, type DeliveryClass, type DueDelivery, type Journal } from '../../database/journal/journal';
import type { TargetRecord } from '../../targets/target-record';
import type { TimeBounds } from '../../ground/time-bounds';
import { CLASSES } from './ready-deliveries';
import { longestPauseMs } from '../sending/retry-schedule';

export interface DueTools {
  journal: Journal;
  bounds: TimeBounds;
}

/**
 * The due deliveries of a class, the longest overdue first.
 * @param after the last delivery of the block before; null to read from the beginning
 */
export function takeDue(
  { journal, bounds }: DueTools,
  { number, policy }: TargetRecord,
  ofClass: DeliveryClass,
  limit: number,
  after: DueDelivery | null = null,
): Promise<DueDelivery[]> {
  const latest = bounds.latest();
  // First attempts are due regardless of their due time, in case the clock was set back.
  const now = ofClass === PRIORITY.live ? Infinity : latest;
  return journal.takeDue(number, ofClass, now, limit, latest + longestPauseMs(policy), after);
}

/** The numbers of the targets of these that may have due deliveries. */
export function findDue(
  { journal, bounds }: DueTools,
  targets: readonly TargetRecord[],
): Promise<readonly number[]> {
  const latest = bounds.latest();
  return journal.findDue(
    targets.map(({ number, policy }) => ({ target: number, beyond: latest + longestPauseMs(policy) })),
    latest,
  );
}

/** Of the due deliveries of all classes that are wanted, the one that has been due longest, or null. */
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
