import { type RandomBytes, randomBelow } from '../random';

/** Up to `capacity` numbered things, of which any one can be picked at random; the oldest makes room for a new one. */
export class Shelf<T extends { id: number }> {
  private things: T[] = [];

  constructor(
    private readonly random: RandomBytes,
    private readonly capacity: number,
  ) {}

  /** True when nine tenths are taken: time to remove things rather than add them. */
  get crowded(): boolean {
    return this.things.length >= this.capacity * 0.9;
  }

  put(thing: T): T {
    if (this.things.length >= this.capacity) this.things.shift();
    this.things.push(thing);
    return thing;
  }

  /** The thing with this id, if it is there. */
  find(id: number): T | undefined {
    return this.things.find((thing) => thing.id === id);
  }

  /** Any thing that is wanted, or undefined when there is none. */
  pick(wanted: (thing: T) => boolean = () => true): T | undefined {
    return this.things[this.draw(wanted)];
  }

  /** Like `pick`, and the thing leaves the shelf. */
  take(wanted: (thing: T) => boolean = () => true): T | undefined {
    const at = this.draw(wanted);
    return at < 0 ? undefined : this.things.splice(at, 1)[0];
  }

  /** All things, oldest first. */
  all(): readonly T[] {
    return this.things;
  }

  /** Puts these in place of what is there. */
  refill(things: readonly T[]): void {
    this.things = things.slice(-this.capacity);
  }

  private draw(wanted: (thing: T) => boolean): number {
    const start = this.things.length > 0 ? randomBelow(this.random, this.things.length) : 0;
    const after = this.things.findIndex((thing, at) => at >= start && wanted(thing));
    return after >= 0 ? after : this.things.findIndex(wanted);
  }
}
