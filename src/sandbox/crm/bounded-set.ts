import { type RandomBytes, randomBelow } from '../random';

/** Holds up to `capacity` items and picks from them at random. Adding to a full set drops the oldest item. */
export class BoundedSet<T extends { id: number }> {
  private items: T[] = [];

  constructor(
    private readonly random: RandomBytes,
    private readonly capacity: number,
  ) {}

  /** True at 90 % of the capacity. */
  get isNearlyFull(): boolean {
    return this.items.length >= this.capacity * 0.9;
  }

  add(item: T): T {
    if (this.items.length >= this.capacity) this.items.shift();
    this.items.push(item);
    return item;
  }

  find(id: number): T | undefined {
    return this.items.find((item) => item.id === id);
  }

  /** A random item that matches, or undefined if none does. */
  pick(matches: (item: T) => boolean = () => true): T | undefined {
    return this.items[this.randomIndex(matches)];
  }

  /** Removes and returns a random item that matches. */
  take(matches: (item: T) => boolean = () => true): T | undefined {
    const at = this.randomIndex(matches);
    return at < 0 ? undefined : this.items.splice(at, 1)[0];
  }

  /** All items, oldest first. */
  all(): readonly T[] {
    return this.items;
  }

  replaceAll(items: readonly T[]): void {
    this.items = items.slice(-this.capacity);
  }

  private randomIndex(matches: (item: T) => boolean): number {
    const start = this.items.length > 0 ? randomBelow(this.random, this.items.length) : 0;
    const after = this.items.findIndex((item, at) => at >= start && matches(item));
    return after >= 0 ? after : this.items.findIndex(matches);
  }
}
