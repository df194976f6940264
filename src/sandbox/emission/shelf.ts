import { type RandomBytes, randomBelow } from '../random';

/** Up to `capacity` things, of which any one can be picked at random; the oldest makes room for a new one. */
export class Shelf<T> {
  private readonly things: T[] = [];

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

  /** Any thing that is wanted, or undefined when there is none. */
  pick(wanted: (thing: T) => boolean = () => true): T | undefined {
    return this.things[this.find(wanted)];
  }

  /** Like `pick`, and the thing leaves the shelf. */
  take(wanted: (thing: T) => boolean = () => true): T | undefined {
    const at = this.find(wanted);
    return at < 0 ? undefined : this.things.splice(at, 1)[0];
  }

  /** All things, oldest first. */
  all(): readonly T[] {
    return this.things;
  }

  private find(wanted: (thing: T) => boolean): number {
    const start = this.things.length > 0 ? randomBelow(this.random, this.things.length) : 0;
    const after = this.things.findIndex((thing, at) => at >= start && wanted(thing));
    return after >= 0 ? after : this.things.findIndex(wanted);
  }
}
