import type { DeliveryClass, DueDelivery } from '../../database/journal/journal';
import type { TargetRecord } from '../../targets/target-record';
import { CLASSES } from './ready-deliveries';
import { takeDue, type DueTools } from './take-due';

/** How many due deliveries of a class are read at a time. */
const BLOCK_SIZE = 64;

/** Reads the due deliveries of one target in blocks, each beginning where the one before ended. */
export class DueReader {
  /** By class: whether deliveries may be due that have not been read. */
  private readonly unread = CLASSES.map(() => true);
  /** By class: the delivery after which the next block begins; null if it begins with the first. */
  private readonly last: (DueDelivery | null)[] = CLASSES.map(() => null);

  constructor(private readonly tools: DueTools) {}

  mayHaveMore(ofClass: DeliveryClass): boolean {
    return this.unread[ofClass]!;
  }

  /** A delivery was committed that is due after all that were read. */
  expectMore(ofClass: DeliveryClass): void {
    this.unread[ofClass] = true;
  }

  /** Deliveries of these classes may have become due before those that were read. */
  restart(classes: readonly DeliveryClass[] = CLASSES): void {
    for (const ofClass of classes) {
      this.unread[ofClass] = true;
      this.last[ofClass] = null;
    }
  }

  /** @param inMemory how many deliveries of the target were read before and are still due on disk */
  async readBlock(target: TargetRecord, ofClass: DeliveryClass, inMemory: number): Promise<DueDelivery[]> {
    const after = this.last[ofClass]!;
    this.unread[ofClass] = false;
    this.last[ofClass] = null;
    // Only a read from the start finds those in memory again.
    const limit = BLOCK_SIZE + (after === null ? inMemory : 0);
    const block = await takeDue(this.tools, target, ofClass, limit, after);
    const hasChanged = this.unread[ofClass];
    if (block.length < limit) return block;
    this.unread[ofClass] = true;
    if (!hasChanged) this.last[ofClass] = block.at(-1)!;
    return block;
  }
}
