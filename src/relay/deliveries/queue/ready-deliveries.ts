import type { DeliveryClass, OpenDelivery } from '../../database/journal';
import type { DeliveryKey } from '../../ground/ids';

export const CLASSES: readonly DeliveryClass[] = [0, 1, 2];

/** The share of each class (live, retry, replay) while all of them have deliveries. */
const WEIGHTS = [8, 2, 1] as const;

/**
 * The share of a target's concurrency that a class and those after it may use: attempts that hang are mostly retries, and
 * must not take the slots of first attempts.
 */
const SLOT_SHARES = [1, 3 / 4, 1 / 2] as const;

/** Deliveries that were read for one target and are not in flight yet, scheduled so that no class starves. */
export class ReadyDeliveries {
  private readonly lists: OpenDelivery[][] = CLASSES.map(() => []);
  /** What each class has been served, by its weight; the least served is next. */
  private readonly served = CLASSES.map(() => 0);
  private latest = 0;
  private readonly inProgress = CLASSES.map(() => 0);

  isEmpty(ofClass: DeliveryClass): boolean {
    return this.lists[ofClass]!.length === 0;
  }

  add(ofClass: DeliveryClass, deliveries: OpenDelivery[]): void {
    this.lists[ofClass]!.push(...deliveries);
  }

  /** Whether one of the class may be under way beside those that are. @param slots for all classes together */
  private hasSlot(ofClass: DeliveryClass, slots: number): boolean {
    let taken = 0;
    for (let first = CLASSES.length - 1; first >= 0; first -= 1) {
      taken += this.inProgress[first]!;
      if (first <= ofClass && taken >= Math.max(1, Math.floor(slots * SLOT_SHARES[first]!))) return false;
    }
    return true;
  }

  /** The next delivery, which occupies a slot until `done`; null if there is none, or no slot for it. */
  take(slots: number): OpenDelivery | null {
    let chosen: DeliveryClass | null = null;
    for (const ofClass of CLASSES) {
      if (this.isEmpty(ofClass) || !this.hasSlot(ofClass, slots)) continue;
      if (chosen === null || this.position(ofClass) < this.position(chosen)) chosen = ofClass;
    }
    if (chosen === null) return null;
    this.latest = this.position(chosen);
    this.served[chosen] = this.latest + 1 / WEIGHTS[chosen];
    this.inProgress[chosen]! += 1;
    return this.lists[chosen]!.shift()!;
  }

  done(ofClass: DeliveryClass): void {
    this.inProgress[ofClass]! -= 1;
  }

  /** @returns whether it was found, i.e. not in flight */
  remove({ seq, n }: DeliveryKey): boolean {
    for (const list of this.lists) {
      const at = list.findIndex(({ key }) => key.seq === seq && key.n === n);
      if (at >= 0) return list.splice(at, 1).length > 0;
    }
    return false;
  }

  /** Removes and returns everything that is not in flight. */
  clear(): OpenDelivery[] {
    return this.lists.flatMap((list) => list.splice(0));
  }

  /** A class that had nothing to send does not accumulate credit. */
  private position(ofClass: DeliveryClass): number {
    return Math.max(this.served[ofClass]!, this.latest);
  }
}
