import type { DeliveryClass } from '../journal/journal';

/** How much later than due a delivery may become visible: its commit takes time, and the daemons' clocks differ. */
const SLACK_MS = 10_000;

const READ_ALL_INTERVAL_MS = 60_000;

/** What a poll found of a target and class. */
export interface Polled {
  target: number;
  class: DeliveryClass;
  /** The earliest due time that was found, or null. */
  first: number | null;
}

/**
 * The due times from which the index of due deliveries is read. Entries below a floor belong to finished deliveries:
 * the server keeps them while an older snapshot is open, and a scan from the start would visit each. Once a minute all
 * is read: a delivery that became visible below its floor is found, and lowers all floors for good.
 */
export class DueFloors {
  private readonly floors = new Map<string, number>();
  private slackMs = SLACK_MS;
  private readAllAt = -Infinity;

  of(target: number, ofClass: DeliveryClass): number {
    return this.floors.get(`${target}:${ofClass}`) ?? -Infinity;
  }

  /** @param now on the scale of `TimeBounds.latest` */
  mustReadAll(now: number): boolean {
    return now - this.readAllAt >= READ_ALL_INTERVAL_MS;
  }

  /** @param now at the beginning of the poll */
  polled(found: readonly Polled[], now: number, wasAllRead: boolean): void {
    if (wasAllRead) this.readAllAt = now;
    const read = found.map((one) => ({ ...one, due: Math.min(one.first ?? now, now) }));
    this.slackMs += Math.max(0, ...read.map((one) => this.of(one.target, one.class) - one.due));
    for (const { target, class: ofClass, due } of read)
      this.floors.set(`${target}:${ofClass}`, due - this.slackMs);
  }
}
