import type { Clock } from '../clock';

/** A timer per event would cost more than the events at high rates, and a long one would come late at low rates. */
const TICK_MS = { shortest: 10, longest: 100 };

/** Lets events happen at a steady rate. */
export class Traffic {
  private perSecond = 0;
  private startedAt = 0;
  private happened = 0;
  private cancelTick: () => void = () => undefined;

  /** `happen` is called once for each event. */
  constructor(
    private readonly clock: Clock,
    private readonly happen: () => void,
  ) {}

  /** Events per second; 0 when stopped. */
  get rate(): number {
    return this.perSecond;
  }

  /** Goes on at another rate; 0 stops. Throws a RangeError on a negative or endless one. */
  setRate(perSecond: number): void {
    if (!Number.isFinite(perSecond) || perSecond < 0) {
      throw new RangeError(`A rate of ${perSecond} events a second is not possible. Give 0 or more.`);
    }
    this.cancelTick();
    this.perSecond = perSecond;
    this.startedAt = this.clock.now();
    this.happened = 0;
    if (perSecond > 0) this.awaitTick();
  }

  private awaitTick(): void {
    const tickMs = Math.min(Math.max(1_000 / this.perSecond, TICK_MS.shortest), TICK_MS.longest);
    this.cancelTick = this.clock.after(tickMs, () => this.tick());
  }

  private tick(): void {
    this.awaitTick();
    const due = Math.floor(((this.clock.now() - this.startedAt) * this.perSecond) / 1_000);
    // After a standstill (a laptop asleep) what is more than a second old is left out, not made up for at once.
    const oldest = Math.max(this.happened, due - Math.max(1, Math.ceil(this.perSecond)));
    this.happened = due;
    for (let i = oldest; i < due; i++) this.happen();
  }
}
