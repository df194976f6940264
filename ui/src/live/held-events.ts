import type { EventSummary } from '../../../src/contract/event';
import { updateEvents } from './update-events';

/**
 * What waits above a list that is held: newest first, without holes, all of it newer than the list. Of very many only
 * the newest are kept; the others are let go and counted, for the daemon has them.
 */
export class HeldEvents {
  private events: EventSummary[] = [];
  private dropped = 0;
  private isUncounted = false;
  private lowest: string | undefined;

  constructor(private readonly limit: number) {}

  get rows(): readonly EventSummary[] {
    return this.events;
  }

  get count(): number {
    return this.events.length + this.dropped;
  }

  /** Whether more waits than was counted. */
  get isCountMinimum(): boolean {
    return this.isUncounted;
  }

  /** Whether some that waited between these and the list were let go. */
  get hasGap(): boolean {
    return this.isUncounted || this.dropped > 0;
  }

  /** The id of the event right above the list, as far as it is known. */
  get lowestId(): string | undefined {
    return this.lowest;
  }

  /** Lets newer ones wait, newest first, that follow what waits without a hole. */
  add(newer: readonly EventSummary[]): void {
    if (!this.hasGap) this.lowest ??= newer.at(-1)?.id;
    const all = [...newer, ...this.events];
    this.events = all.slice(0, this.limit);
    this.dropped += all.length - this.events.length;
  }

  /** Lets newer ones wait, newest first, between which and what waited nobody has counted how many there are. */
  addAfterGap(newer: readonly EventSummary[]): void {
    this.dropped += this.events.length;
    this.events = [];
    this.isUncounted = true;
    this.add(newer);
  }

  update(updates: readonly EventSummary[]): void {
    this.events = updateEvents(this.events, updates);
  }

  clear(): void {
    this.events = [];
    this.dropped = 0;
    this.isUncounted = false;
    this.lowest = undefined;
  }
}
