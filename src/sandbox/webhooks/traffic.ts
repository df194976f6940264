import type { Clock } from '../clock';

/** How events happen by themselves. */
export interface TrafficSettings {
  /** Exact, so that a load test can count; 0: none. */
  eventsPerSecond: number;
  /** While true nothing happens by itself; the other settings stay as they are. */
  isPaused: boolean;
  /** This many more happen at once, again and again; 0: never. */
  burstEvents: number;
  burstEverySeconds: number;
}

/** A timer per event would cost more than the events at high rates, and a long one would come late at low rates. */
const TICK_MS = { shortest: 10, longest: 100 };

/** Lets events happen at a steady rate and in bursts. */
export class Traffic {
  private settings: TrafficSettings = {
    eventsPerSecond: 0,
    isPaused: false,
    burstEvents: 0,
    burstEverySeconds: 60,
  };
  private startedAt = 0;
  private emittedCount = 0;
  private cancelTick: () => void = () => undefined;
  private cancelBurst: () => void = () => undefined;

  /** `happen` is called once for each event. */
  constructor(
    private readonly clock: Clock,
    private readonly emit: () => void,
  ) {}

  get now(): Readonly<TrafficSettings> {
    return this.settings;
  }

  /** Goes on by other settings. Throws a RangeError on a negative or endless rate. */
  change(changes: Partial<TrafficSettings>): void {
    const settings = { ...this.settings, ...changes };
    const { eventsPerSecond, isPaused, burstEvents } = settings;
    if (!Number.isFinite(eventsPerSecond) || eventsPerSecond < 0) {
      throw new RangeError(`A rate of ${eventsPerSecond} events a second is not possible. Give 0 or more.`);
    }
    this.stop();
    this.settings = settings;
    this.startedAt = this.clock.now();
    this.emittedCount = 0;
    if (isPaused) return;
    if (eventsPerSecond > 0) this.scheduleTick();
    if (burstEvents > 0) this.scheduleBurst();
  }

  /** This many events at once. */
  burst(events: number): void {
    for (let i = 0; i < events; i++) this.emit();
  }

  /** Nothing happens any more, until the next change. */
  stop(): void {
    this.cancelTick();
    this.cancelBurst();
  }

  private scheduleTick(): void {
    const tickMs = Math.min(
      Math.max(1_000 / this.settings.eventsPerSecond, TICK_MS.shortest),
      TICK_MS.longest,
    );
    this.cancelTick = this.clock.after(tickMs, () => this.tick());
  }

  private tick(): void {
    this.scheduleTick();
    const { eventsPerSecond } = this.settings;
    const due = Math.floor(((this.clock.now() - this.startedAt) * eventsPerSecond) / 1_000);
    // After a standstill (a laptop asleep) what is more than a second old is left out, not made up for at once.
    const oldest = Math.max(this.emittedCount, due - Math.max(1, Math.ceil(eventsPerSecond)));
    this.emittedCount = due;
    this.burst(due - oldest);
  }

  private scheduleBurst(): void {
    this.cancelBurst = this.clock.after(this.settings.burstEverySeconds * 1_000, () => {
      this.scheduleBurst();
      this.burst(this.settings.burstEvents);
    });
  }
}
