import { deliveryKeyText, type DeliveryKey } from '../ground/ids';

/** The most deliveries in one message. */
export const DELIVERIES_PER_MESSAGE = 200;

/** The deliveries that changed since the last message. If there are more than fit, it keeps the latest. */
export class ChangedDeliveries {
  /** By key as text; the latest change comes last. */
  private readonly keys = new Map<string, DeliveryKey>();
  private isComplete = true;

  get isEmpty(): boolean {
    return this.keys.size === 0 && this.isComplete;
  }

  add({ seq, target, n }: DeliveryKey): void {
    const key = { seq, target, n };
    const id = deliveryKeyText(key);
    this.keys.delete(id);
    this.keys.set(id, key);
    if (this.keys.size <= DELIVERIES_PER_MESSAGE) return;
    const [oldest] = this.keys.keys();
    this.keys.delete(oldest!);
    this.isComplete = false;
  }

  /** Some have changed that are not known. */
  addUnknown(): void {
    this.isComplete = false;
  }

  /** @returns what to send, and whether that is all that changed */
  take(): { keys: DeliveryKey[]; isComplete: boolean } {
    const taken = { keys: [...this.keys.values()], isComplete: this.isComplete };
    this.keys.clear();
    this.isComplete = true;
    return taken;
  }
}
