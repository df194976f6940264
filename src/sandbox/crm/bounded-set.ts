import { type RandomBytes, randomBelow } from '../random';

/** Up to `capacity` numbered things, of which any one can be picked at random; the oldest makes room for a new one. */
export class BoundedSet<T extends { id: number }> {
  private items: T[] = [];

  constructor(
    private readonly random: RandomBytes,
    private readonly capacity: number,
  ) {}

  /** True when nine tenths are taken: time to remove things rather than add them. */
  get isNearlyFull(): boolean {
    return this.items.length >= this.capacity * 0.9;
  }

  add(thing: T): T {
    if (this.items.length >= this.capacity) this.items.shift();
    this.items.push(thing);
    return thing;
  }

  /** The thing with this id, if it is there. */
  find(id: number): T | undefined {
    return this.items.find((thing) => thing.id === id);
  }

  /** Any thing that is wanted, or undefined when there is none. */
  pick(wanted: (thing: T) => boolean = () => true): T | undefined {
    return this.items[this.randomIndex(wanted)];
  }

  /** Like `pick`, and the thing leaves the shelf. */
  take(wanted: (thing: T) => boolean = () => true): T | undefined {
    const at = this.randomIndex(wanted);
    return at < 0 ? undefined : this.items.splice(at, 1)[0];
  }

  /** All things, oldest first. */
  all(): readonly T[] {
    return this.items;
  }

  /** Puts these in place of what is there. */
  replaceAll(things: readonly T[]): void {
    this.items = things.slice(-this.capacity);
  }

  private randomIndex(wanted: (thing: T) => boolean): number {
    const start = this.items.length > 0 ? randomBelow(this.random, this.items.length) : 0;
    const after = this.items.findIndex((thing, at) => at >= start && wanted(thing));
    return after >= 0 ? after : this.items.findIndex(wanted);
  }
}
