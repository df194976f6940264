import { deliveryKeyText, type DeliveryKey } from '../../ground/ids';

/** Daemons tell it every second. */
const KEEP_MS = 3_000;

/** What other daemons have in flight, as each of them told last. */
export class InFlightElsewhere {
  private readonly byDaemon = new Map<string, { keys: Map<string, DeliveryKey>; until: number }>();

  /** @param now by monotonic time, as below */
  set(daemon: string, keys: readonly DeliveryKey[], now: number): void {
    this.byDaemon.set(daemon, {
      keys: new Map(keys.map((key) => [deliveryKeyText(key), key])),
      until: now + KEEP_MS,
    });
  }

  /** An attempt has ended. */
  delete(key: DeliveryKey): void {
    for (const { keys } of this.byDaemon.values()) keys.delete(deliveryKeyText(key));
  }

  has(key: DeliveryKey, now: number): boolean {
    return this.current(now).some((keys) => keys.has(deliveryKeyText(key)));
  }

  keys(now: number): DeliveryKey[] {
    return this.current(now).flatMap((keys) => [...keys.values()]);
  }

  private current(now: number): Map<string, DeliveryKey>[] {
    for (const [daemon, { until }] of this.byDaemon) if (until <= now) this.byDaemon.delete(daemon);
    return [...this.byDaemon.values()].map(({ keys }) => keys);
  }
}
