import { PRIORITY, type DeliveryClass, type QueuedDelivery } from '../../database/journal/journal';
import type { DeliveryKey } from '../../ground/ids';

export const CLASSES: readonly DeliveryClass[] = Object.values(PRIORITY);

/** The relative share of each class (live, retry, replay) while all of them have deliveries. */
export const WEIGHTS = [8, 2, 1] as const;

/**
 * By class, the share of a target's concurrency that this class and the ones after it may use together. Attempts that
 * hang are mostly retries; they must not occupy all slots.
 */
const SLOT_SHARES = [1, 3 / 4, 1 / 2] as const;

/**
 * Deliveries of one target that were read and are not in flight yet. Weighted fair queuing decides which class is
 * next, so that none starves: each delivery advances the finish time of its class by the inverse of the weight of the
 * class, and the class with the earliest start time is next.
 */
export class ReadyDeliveries {
  private readonly byClass: QueuedDelivery[][] = CLASSES.map(() => []);
  /** By class, in virtual time: when its last delivery finished. */
  private readonly finishTimes = CLASSES.map(() => 0);
  /** The start time of the last delivery that was taken. */
  private virtualTime = 0;
  private readonly inFlight = CLASSES.map(() => 0);

  count(ofClass: DeliveryClass): number {
    return this.byClass[ofClass]!.length;
  }

  isEmpty(ofClass: DeliveryClass): boolean {
    return this.count(ofClass) === 0;
  }

  add(ofClass: DeliveryClass, deliveries: QueuedDelivery[]): void {
    this.byClass[ofClass]!.push(...deliveries);
  }

  /** Whether another delivery of the class may be in flight. @param slots for all classes together */
  private hasSlot(ofClass: DeliveryClass, slots: number): boolean {
    let occupied = 0;
    for (let first = CLASSES.length - 1; first >= 0; first -= 1) {
      occupied += this.inFlight[first]!;
      if (first <= ofClass && occupied >= Math.max(1, Math.floor(slots * SLOT_SHARES[first]!))) return false;
    }
    return true;
  }

  /** The next delivery, which occupies a slot until `done`; null if there is none, or no slot for it. */
  take(slots: number): QueuedDelivery | null {
    let chosen: DeliveryClass | null = null;
    for (const ofClass of CLASSES) {
      if (this.isEmpty(ofClass) || !this.hasSlot(ofClass, slots)) continue;
      if (chosen === null || this.startTime(ofClass) < this.startTime(chosen)) chosen = ofClass;
    }
    if (chosen === null) return null;
    this.virtualTime = this.startTime(chosen);
    this.finishTimes[chosen] = this.virtualTime + 1 / WEIGHTS[chosen];
    this.inFlight[chosen]! += 1;
    return this.byClass[chosen]!.shift()!;
  }

  done(ofClass: DeliveryClass): void {
    this.inFlight[ofClass]! -= 1;
  }

  /** @returns whether it was found, i.e. not in flight */
  remove({ seq, n }: DeliveryKey): boolean {
    for (const list of this.byClass) {
      const at = list.findIndex(({ key }) => key.seq === seq && key.n === n);
      if (at >= 0) return list.splice(at, 1).length > 0;
    }
    return false;
  }

  /** Removes and returns everything that is not in flight. */
  clear(): QueuedDelivery[] {
    return this.byClass.flatMap((list) => list.splice(0));
  }

  /** When the next delivery of a class would start. Never in the past: an idle class accumulates no credit. */
  private startTime(ofClass: DeliveryClass): number {
    return Math.max(this.finishTimes[ofClass]!, this.virtualTime);
  }
}
