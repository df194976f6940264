import type { Clock } from '../clock';

/** How events are generated automatically, as the panel's JSON has it. */
export interface TrafficSettings {
  /** Met exactly, so that load tests can count events. 0: none. */
  events_per_second: number;
  /** Suspends automatic events; the other settings are preserved. */
  is_paused: boolean;
  /** Size of a periodic burst. 0: no bursts. */
  burst_events: number;
  burst_every_seconds: number;
}

/** At high rates a timer per event would be expensive; at low rates a long timer would delay changes. */
const TICK_MS = { shortest: 10, longest: 100 };

/** Generates events at a steady rate and in bursts. */
export class Traffic {
  private currentSettings: TrafficSettings = {
    events_per_second: 0,
    is_paused: false,
    burst_events: 0,
    burst_every_seconds: 60,
  };
  private startedAt = 0;
  private emittedCount = 0;
  private cancelTick: () => void = () => undefined;
  private cancelBurst: () => void = () => undefined;

  /** `emit` is called once per event. */
  constructor(
    private readonly clock: Clock,
    private readonly emit: () => void,
  ) {}

  get current(): Readonly<TrafficSettings> {
    return this.currentSettings;
  }

  /** @throws RangeError if the rate is negative or infinite */
  change(changes: Partial<TrafficSettings>): void {
    const settings = { ...this.currentSettings, ...changes };
    const { events_per_second: rate, is_paused, burst_events } = settings;
    if (!Number.isFinite(rate) || rate < 0) {
      throw new RangeError(`The rate must be 0 or more events per second, not ${rate}.`);
    }
    this.stop();
    this.currentSettings = settings;
    this.startedAt = this.clock.now();
    this.emittedCount = 0;
    if (is_paused) return;
    if (rate > 0) this.scheduleTick();
    if (burst_events > 0) this.scheduleBurst();
  }

  burst(events: number): void {
    for (let i = 0; i < events; i++) this.emit();
  }

  /** Stops until the next change. */
  stop(): void {
    this.cancelTick();
    this.cancelBurst();
  }

  private scheduleTick(): void {
    const msPerEvent = 1_000 / this.currentSettings.events_per_second;
    const tickMs = Math.min(Math.max(msPerEvent, TICK_MS.shortest), TICK_MS.longest);
    this.cancelTick = this.clock.after(tickMs, () => this.tick());
  }

  private tick(): void {
    this.scheduleTick();
    const { events_per_second: rate } = this.currentSettings;
    const due = Math.floor(((this.clock.now() - this.startedAt) * rate) / 1_000);
    // After a suspend (laptop asleep), events more than a second overdue are skipped instead of sent at once.
    const start = Math.max(this.emittedCount, due - Math.max(1, Math.ceil(rate)));
    this.emittedCount = due;
    this.burst(due - start);
  }

  private scheduleBurst(): void {
    this.cancelBurst = this.clock.after(this.currentSettings.burst_every_seconds * 1_000, () => {
      this.scheduleBurst();
      this.burst(this.currentSettings.burst_events);
    });
  }
}
