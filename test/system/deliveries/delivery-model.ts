/**
 * A small reference model of the queue of one target: lanes, attempts, circuit breaker and slots, without its database,
 * its threads or its timing. The real queue is compared with it after each command.
 */
export interface ModelPolicy {
  concurrency: number;
  /** The delays between attempts, in ms. */
  delays: number[];
  /** `firstProbe` and `cap` in ms. */
  breaker: { failures: number; firstProbe: number; cap: number };
  stopsLanes: boolean;
}

export interface ModelDelivery {
  event: string;
  lane: string | null;
  state: 'waiting' | 'pending' | 'retrying' | 'succeeded' | 'dead' | 'cancelled';
  attempts: number;
  uncounted: number;
  /** Ms since 1970; 0: at once. */
  due: number;
  blocksLane: boolean;
}

/** A request in flight. `startedAt` is ms since 1970; `started` is monotonic. */
interface Flight {
  delivery: ModelDelivery;
  startedAt: number;
  started: number;
  probe: boolean;
  retry: boolean;
}

/** Tolerance: what is due is due after the time that an attempt took, which the stopped clock does not show. */
export const SLACK_MS = 1_500;

export class DeliveryModel {
  readonly deliveries: ModelDelivery[] = [];
  readonly flights = new Map<string, Flight>();
  /** Requests that should not have arrived. */
  readonly errors: string[] = [];
  paused = false;
  open: { probes: number; probeAt: number } | null = null;
  private failures = 0;
  private ramp: number | null = null;

  constructor(
    private readonly policy: ModelPolicy,
    private readonly now: () => number,
  ) {}

  emit(event: string, lane: string | null): void {
    const state = lane !== null && this.queuedIn(lane).length > 0 ? 'waiting' : 'pending';
    this.deliveries.push({ event, lane, state, attempts: 0, uncounted: 0, due: 0, blocksLane: false });
  }

  /** A request arrived at the target. */
  onRequest(event: string): void {
    const delivery = this.of(event);
    const error = delivery === undefined ? 'unknown' : this.errorOf(delivery);
    if (error !== null) this.errors.push(`${event}: ${error}`);
    if (delivery === undefined) return;
    const probe = this.open !== null;
    const retry = delivery.attempts > 0;
    this.flights.set(event, { delivery, startedAt: this.now(), started: performance.now(), probe, retry });
  }

  /** The target responds. @returns the delivery in its expected state */
  onResponse(event: string, status: number): ModelDelivery {
    const flight = this.flights.get(event)!;
    this.flights.delete(event);
    const { delivery, probe } = flight;
    const at = flight.startedAt + (performance.now() - flight.started);
    const outage = status === 429 || status >= 500;
    const wasOpen = this.open !== null;
    this.observe(outage, probe, at);
    delivery.attempts += 1;
    // It was cancelled while in flight.
    if (delivery.state === 'cancelled') return delivery;
    if (status < 300) this.end(delivery, 'succeeded');
    else if (outage && wasOpen) {
      delivery.uncounted += 1;
      this.retry(delivery, at);
    } else {
      const pause = this.policy.delays[delivery.attempts - delivery.uncounted - 1];
      if (pause === undefined) this.end(delivery, 'dead');
      else this.retry(delivery, at + pause);
    }
    return delivery;
  }

  cancel(event: string): void {
    const delivery = this.of(event)!;
    delivery.blocksLane = false;
    delivery.state = 'cancelled';
    this.promote(delivery.lane);
  }

  /** A restart keeps what is stored: an open circuit breaker, but neither its failure count nor its ramp. */
  onRestart(): void {
    this.failures = 0;
    this.ramp = null;
  }

  /** The number of requests that should be in flight now. */
  expectedFlights(): number {
    const inFlight = this.flights.size;
    if (this.paused) return inFlight;
    const due = this.deliveries.filter((delivery) => this.isDue(delivery, -SLACK_MS));
    if (this.open !== null) {
      const probing = [...this.flights.values()].some(({ probe }) => probe);
      const isProbeExpected = !probing && due.length > 0 && this.now() >= this.open.probeAt + SLACK_MS;
      return inFlight + (isProbeExpected ? 1 : 0);
    }
    const firsts = due.filter(({ attempts }) => attempts === 0).length;
    const freeRetrySlots = Math.max(0, this.retrySlots() - this.retriesInFlight());
    return Math.max(
      inFlight,
      Math.min(this.slots(), inFlight + firsts + Math.min(due.length - firsts, freeRetrySlots)),
    );
  }

  /** Queued deliveries, and dead letters that block their lane. */
  cancellable(): ModelDelivery[] {
    return this.deliveries.filter(({ state }) => !['succeeded', 'cancelled'].includes(state));
  }

  private of(event: string): ModelDelivery | undefined {
    return this.deliveries.find((delivery) => delivery.event === event);
  }

  private queuedIn(lane: string): ModelDelivery[] {
    return this.deliveries.filter(
      (delivery) =>
        delivery.lane === lane &&
        (delivery.blocksLane || ['waiting', 'pending', 'retrying'].includes(delivery.state)),
    );
  }

  private isDue(delivery: ModelDelivery, slack: number): boolean {
    return (
      ['pending', 'retrying'].includes(delivery.state) &&
      !this.flights.has(delivery.event) &&
      delivery.due <= this.now() + slack
    );
  }

  private errorOf(delivery: ModelDelivery): string | null {
    if (this.flights.has(delivery.event)) return 'is already in flight';
    if (!this.isDue(delivery, SLACK_MS)) return `is ${delivery.state} and not due`;
    if (delivery.lane !== null && this.queuedIn(delivery.lane)[0] !== delivery)
      return 'is not the head of its lane';
    if (this.paused) return 'came while the target was paused';
    if (this.open !== null) {
      if (this.now() < this.open.probeAt - SLACK_MS) return 'came through an open breaker';
      if ([...this.flights.values()].some(({ probe }) => probe)) return 'is a second probe';
      return null;
    }
    if (this.flights.size >= this.slots()) return `exceeds ${this.slots()} slots`;
    if (delivery.attempts > 0 && this.retriesInFlight() >= this.retrySlots())
      return 'is a retry in a slot for first attempts';
    return null;
  }

  private slots(): number {
    return Math.min(this.ramp ?? this.policy.concurrency, this.policy.concurrency);
  }

  private retrySlots(): number {
    return Math.max(1, Math.floor((this.slots() * 3) / 4));
  }

  private retriesInFlight(): number {
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

  private retry(delivery: ModelDelivery, due: number): void {
    delivery.state = 'retrying';
    delivery.due = due;
  }

  private end(delivery: ModelDelivery, state: 'succeeded' | 'dead'): void {
    delivery.state = state;
    delivery.blocksLane = state === 'dead' && this.policy.stopsLanes && delivery.lane !== null;
    this.promote(delivery.lane);
  }

  private promote(lane: string | null): void {
    const [first] = lane === null ? [] : this.queuedIn(lane);
    if (first?.state === 'waiting') {
      first.state = 'pending';
      first.due = 0;
    }
  }
}
