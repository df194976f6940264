import { type RandomBytes, randomBelow } from '../random';

const CAPACITY = 500;

/** Holds up to `CAPACITY` items and picks from them at random. Adding to a full set drops the oldest item. */
export class BoundedSet<T extends { id: number }> {
  private items: T[] = [];

  constructor(private readonly random: RandomBytes) {}

  /** True at 90 % of the capacity. */
  get isNearlyFull(): boolean {
    return this.items.length >= CAPACITY * 0.9;
  }

  add(item: T): T {
    if (this.items.length >= CAPACITY) this.items.shift();
    this.items.push(item);
    return item;
  }

  find(id: number | undefined): T | undefined {
    return this.items.find((item) => item.id === id);
  }

  /** A random item that matches, or undefined if none does. */
  pick(matches: (item: T) => boolean = () => true): T | undefined {
    return this.items[this.randomIndex(matches)];
  }

  /** Removes and returns a random item that matches. */
  take(matches: (item: T) => boolean = () => true): T | undefined {
    const index = this.randomIndex(matches);
    return index < 0 ? undefined : this.items.splice(index, 1)[0];
  }

  /** All items, oldest first. */
  all(): readonly T[] {
    return this.items;
  }

  replaceAll(items: readonly T[]): void {
    this.items = items.slice(-CAPACITY);
  }

  /** Searches from a random position to the end, then from the start; -1 if no item matches. */
  private randomIndex(matches: (item: T) => boolean): number {
    const start = this.items.length > 0 ? randomBelow(this.random, this.items.length) : 0;
    const atOrAfterStart = this.items.findIndex((item, index) => index >= start && matches(item));
    return atOrAfterStart >= 0 ? atOrAfterStart : this.items.findIndex(matches);
  }
}
