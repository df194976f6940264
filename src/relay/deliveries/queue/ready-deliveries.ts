import type { DeliveryClass, OpenDelivery } from '../../database/journal';
import type { DeliveryKey } from '../../ground/ids';

export const CLASSES: readonly DeliveryClass[] = [0, 1, 2];

/** Of what goes out, how much is of each class while all of them have something. */
const WEIGHTS = [8, 2, 1] as const;

/**
 * How much of a target's concurrency a class and those behind it may take: attempts that hang are mostly retries, and a
 * first attempt is to find a place free all the same.
 */
const SLOT_SHARES = [1, 3 / 4, 1 / 2] as const;

/** What was taken for one target and is not under way yet, handed out so that no class starves. */
export class ReadyDeliveries {
  private readonly lists: OpenDelivery[][] = CLASSES.map(() => []);
  /** What each class has had, by its weight; the one that has had least is next. */
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

  /** The next one, which counts as under way until `done`; null where there is none, or no place for it. */
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

  /** @returns whether it was there and not under way */
  remove({ seq, n }: DeliveryKey): boolean {
    for (const list of this.lists) {
      const at = list.findIndex(({ key }) => key.seq === seq && key.n === n);
      if (at >= 0) return list.splice(at, 1).length > 0;
    }
    return false;
  }

  /** Gives back everything that is not under way. */
  clear(): OpenDelivery[] {
    return this.lists.flatMap((list) => list.splice(0));
  }

  /** A class that had nothing to send has saved nothing up. */
  private position(ofClass: DeliveryClass): number {
    return Math.max(this.served[ofClass]!, this.latest);
  }
}
