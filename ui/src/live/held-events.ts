import type { EventSummary } from '@contract/event';
import { updateEvents } from './update-events';

/**
 * The events held above a list: newest first, without gaps, all newer than the list. Only the newest are
 * stored; older ones are dropped and counted, since the API has them.
 */
export class HeldEvents {
  private events: EventSummary[] = [];
  private dropped = 0;
  /** Whether an unknown number of events is missing. */
  private hasUncounted = false;
  private lowest: string | undefined;

  constructor(private readonly limit: number) {}

  get rows(): readonly EventSummary[] {
    return this.events;
  }

  get count(): number {
    return this.events.length + this.dropped;
  }

  /** Whether the count is only a lower bound. */
  get isCountMinimum(): boolean {
    return this.hasUncounted;
  }

  /** Whether events between these and the list were dropped. */
  get hasGap(): boolean {
    return this.hasUncounted || this.dropped > 0;
  }

  /** The id of the event right above the list, if known. */
  get lowestId(): string | undefined {
    return this.lowest;
  }

  /** Adds newer events, newest first, that follow without a gap. */
  add(newer: readonly EventSummary[]): void {
    if (!this.hasGap) this.lowest ??= newer.at(-1)?.id;
    const all = [...newer, ...this.events];
    this.events = all.slice(0, this.limit);
    this.dropped += all.length - this.events.length;
  }

  /** Adds newer events, newest first, after an unknown number of missing ones. */
  addAfterGap(newer: readonly EventSummary[]): void {
    this.dropped += this.events.length;
    this.events = [];
    this.hasUncounted = true;
    this.add(newer);
  }

  /** Replaces the events that are also in `updates`. */
  update(updates: readonly EventSummary[]): void {
    this.events = updateEvents(this.events, updates);
  }

  clear(): void {
    this.events = [];
    this.dropped = 0;
    this.hasUncounted = false;
    this.lowest = undefined;
  }
}
