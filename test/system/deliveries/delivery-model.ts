/**
 * A small reference of what the queue of one target promises: lanes, tries, breaker and places, without its database, its
 * threads or its timing. The real one is held to it, arrival by arrival and row by row.
 */
export interface ModelPolicy {
  concurrency: number;
  /** Pauses in ms; one more try than pauses. */
  delays: number[];
  breaker: { failures: number; firstProbe: number; cap: number };
  stops: boolean;
}

export interface ModelDelivery {
  event: string;
  lane: string | null;
  state: 'waiting' | 'pending' | 'retrying' | 'succeeded' | 'dead' | 'cancelled';
  attempts: number;
  spared: number;
  /** Ms since 1970; 0: at once. */
  due: number;
  stopsLane: boolean;
}

interface Flight {
  delivery: ModelDelivery;
  startedAt: number;
  started: number;
  probe: boolean;
  retry: boolean;
}

/** The model's clock and the real one are read at slightly different moments. */
export const SLACK_MS = 1_500;

export class DeliveryModel {
  readonly deliveries: ModelDelivery[] = [];
  readonly flights = new Map<string, Flight>();
  /** What arrived and should not have. */
  readonly faults: string[] = [];
  paused = false;
  open: { probes: number; probeAt: number } | null = null;
  private failures = 0;
  private ramp: number | null = null;

  constructor(
    private readonly policy: ModelPolicy,
    private readonly now: () => number,
  ) {}

  emit(event: string, lane: string | null): void {
    const state = lane !== null && this.openIn(lane).length > 0 ? 'waiting' : 'pending';
    this.deliveries.push({ event, lane, state, attempts: 0, spared: 0, due: 0, stopsLane: false });
  }

  /** A request reached the target. */
  arrived(event: string): void {
    const delivery = this.of(event);
    const fault = delivery === undefined ? 'unknown' : this.faultOf(delivery);
    if (fault !== null) this.faults.push(`${event}: ${fault}`);
    if (delivery === undefined) return;
    const probe = this.open !== null;
    const retry = delivery.attempts > 0;
    this.flights.set(event, { delivery, startedAt: this.now(), started: performance.now(), probe, retry });
  }

  /** The target answers. @returns the delivery as it must be then */
  answered(event: string, status: number): ModelDelivery {
    const flight = this.flights.get(event)!;
    this.flights.delete(event);
    const { delivery, probe } = flight;
    const at = flight.startedAt + (performance.now() - flight.started);
    const outage = status === 429 || status >= 500;
    const wasOpen = this.open !== null;
    this.observe(outage, probe, at);
    delivery.attempts += 1;
    // It was cancelled on the way.
    if (delivery.state === 'cancelled') return delivery;
    if (status < 300) this.end(delivery, 'succeeded');
    else if (outage && wasOpen) {
      delivery.spared += 1;
      this.again(delivery, at);
    } else {
      const pause = this.policy.delays[delivery.attempts - delivery.spared - 1];
      if (pause === undefined) this.end(delivery, 'dead');
      else this.again(delivery, at + pause);
    }
    return delivery;
  }

  cancel(event: string): void {
    const delivery = this.of(event)!;
    delivery.stopsLane = false;
    delivery.state = 'cancelled';
    this.promote(delivery.lane);
  }

  /** A restart keeps what is on disk: an opened breaker, but neither what it counted nor how far it had recovered. */
  restarted(): void {
    this.failures = 0;
    this.ramp = null;
  }

  /** How many requests must be under way now, if nothing happens. */
  expectedFlights(): number {
    const under = this.flights.size;
    if (this.paused) return under;
    const due = this.deliveries.filter((delivery) => this.isDue(delivery, -SLACK_MS));
    if (this.open !== null) {
      const probing = [...this.flights.values()].some(({ probe }) => probe);
      const may = !probing && due.length > 0 && this.now() >= this.open.probeAt + SLACK_MS;
      return under + (may ? 1 : 0);
    }
    const firsts = due.filter(({ attempts }) => attempts === 0).length;
    const room = Math.max(0, this.retryPlaces() - this.retriesUnderWay());
    return Math.max(under, Math.min(this.places(), under + firsts + Math.min(due.length - firsts, room)));
  }

  /** Those that may be cancelled: open, or dead and in the way. */
  cancellable(): ModelDelivery[] {
    return this.deliveries.filter(({ state }) => !['succeeded', 'cancelled'].includes(state));
  }

  private of(event: string): ModelDelivery | undefined {
    return this.deliveries.find((delivery) => delivery.event === event);
  }

  private openIn(lane: string): ModelDelivery[] {
    return this.deliveries.filter(
      (delivery) =>
        delivery.lane === lane &&
        (delivery.stopsLane || ['waiting', 'pending', 'retrying'].includes(delivery.state)),
    );
  }

  private isDue(delivery: ModelDelivery, slack: number): boolean {
    return (
      ['pending', 'retrying'].includes(delivery.state) &&
      !this.flights.has(delivery.event) &&
      delivery.due <= this.now() + slack
    );
  }

  private faultOf(delivery: ModelDelivery): string | null {
    if (this.flights.has(delivery.event)) return 'is under way already';
    if (!this.isDue(delivery, SLACK_MS)) return `is ${delivery.state} and not due`;
    if (delivery.lane !== null && this.openIn(delivery.lane)[0] !== delivery)
      return 'is not the head of its lane';
    if (this.paused) return 'came while the target was paused';
    if (this.open !== null) {
      if (this.now() < this.open.probeAt - SLACK_MS) return 'came through an open breaker';
      if ([...this.flights.values()].some(({ probe }) => probe)) return 'is a second probe';
      return null;
    }
    if (this.flights.size >= this.places()) return `is one more than ${this.places()}`;
    if (delivery.attempts > 0 && this.retriesUnderWay() >= this.retryPlaces())
      return 'is a retry in the place of a first attempt';
    return null;
  }

  private places(): number {
    return Math.min(this.ramp ?? this.policy.concurrency, this.policy.concurrency);
  }

  private retryPlaces(): number {
    return Math.max(1, Math.floor((this.places() * 3) / 4));
  }

  private retriesUnderWay(): number {
    return [...this.flights.values()].filter(({ retry, probe }) => retry && !probe).length;
  }

  private observe(outage: boolean, probe: boolean, at: number): void {
    const { failures, firstProbe, cap } = this.policy.breaker;
    if (!outage) {
      this.failures = 0;
      if (this.open !== null) this.ramp = 1;
      else if (this.ramp !== null)
        this.ramp = this.ramp + 1 >= this.policy.concurrency ? null : this.ramp + 1;
      this.open = null;
    } else if (this.open !== null) {
      if (!probe) return;
      const probes = this.open.probes + 1;
      this.open = { probes, probeAt: at + Math.min(firstProbe * 2 ** probes, cap) };
    } else {
      this.failures += 1;
      if (this.failures < failures) return;
      this.failures = 0;
      this.ramp = null;
      this.open = { probes: 0, probeAt: at + firstProbe };
    }
  }

  private again(delivery: ModelDelivery, due: number): void {
    delivery.state = 'retrying';
    delivery.due = due;
  }

  private end(delivery: ModelDelivery, state: 'succeeded' | 'dead'): void {
    delivery.state = state;
    delivery.stopsLane = state === 'dead' && this.policy.stops && delivery.lane !== null;
    this.promote(delivery.lane);
  }

  private promote(lane: string | null): void {
    const [first] = lane === null ? [] : this.openIn(lane);
    if (first?.state === 'waiting') {
      first.state = 'pending';
      first.due = 0;
    }
  }
}
