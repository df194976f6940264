import type { EventSummary } from '../../../src/contract/event';
import { updateEvents } from './update-events';

/**
 * What waits above a list that is held: newest first, without holes, all of it newer than the list. Of very many only
 * the newest are kept; the others are let go and counted, for the daemon has them.
 */
export class WaitingEvents {
  private kept: EventSummary[] = [];
  private letGo = 0;
  private uncounted = false;
  private lowest: string | undefined;

  constructor(private readonly most: number) {}

  get rows(): readonly EventSummary[] {
    return this.kept;
  }

  get count(): number {
    return this.kept.length + this.letGo;
  }

  /** Whether more waits than was counted. */
  get isMore(): boolean {
    return this.uncounted;
  }

  /** Whether some that waited between these and the list were let go. */
  get isApart(): boolean {
    return this.uncounted || this.letGo > 0;
  }

  /** The id of the event right above the list, as far as it is known. */
  get lowestId(): string | undefined {
    return this.lowest;
  }

  /** Lets newer ones wait, newest first, that follow what waits without a hole. */
  add(newer: readonly EventSummary[]): void {
    if (!this.isApart) this.lowest ??= newer.at(-1)?.id;
    const all = [...newer, ...this.kept];
    this.kept = all.slice(0, this.most);
    this.letGo += all.length - this.kept.length;
  }

  /** Lets newer ones wait, newest first, between which and what waited nobody has counted how many there are. */
  addApart(newer: readonly EventSummary[]): void {
    this.letGo += this.kept.length;
    this.kept = [];
    this.uncounted = true;
    this.add(newer);
  }

  update(news: readonly EventSummary[]): void {
    this.kept = updateEvents(this.kept, news);
  }

  clear(): void {
    this.kept = [];
    this.letGo = 0;
    this.uncounted = false;
    this.lowest = undefined;
  }
}
