import { sends, type ModelFilter } from './filters';
import type { ModelFlight } from './model';
import type { ModelDelivery } from './model-deliveries';
import type { StatusBefore } from './records';

/** Times in ms. */
export interface ModelPolicy {
  ordering: 'none' | 'entity' | 'strict';
  /** Whether a dead letter stops its lane. */
  stops: boolean;
  concurrency: number;
  delays: readonly number[];
  maxAge: number;
  breaker: { failures: number; firstProbe: number; cap: number } | null;
}

export interface ModelOpening {
  probes: number;
  probeAt: number;
}

/** A target with its circuit breaker and its slots, as they should be. */
export class ModelTarget {
  isPaused = false;
  isEnabled = true;
  /** It has responded with 410, and was not enabled since. */
  isGone = false;
  isRemoved = false;
  /** The router creates its deliveries; also for a moment after its filter no longer looks at changes. */
  isRouted: boolean;
  routedFrom = 0;
  open: ModelOpening | null = null;
  /** As it is stored: new connections make a probe due in memory only. */
  storedOpen: ModelOpening | null = null;
  /** What was stored before in the present step. */
  storedBefore: (ModelOpening | null)[] = [];
  private failures = 0;
  private ramp: number | null = null;

  constructor(
    readonly number: number,
    readonly id: string,
    private readonly types: readonly string[],
    public policy: ModelPolicy,
    public filter: ModelFilter,
  ) {
    this.isRouted = filter.isRouted;
  }

  /** Whether it is enabled for this type. */
  accepts(type: string): boolean {
    return this.isEnabled && (this.types.includes(type) || this.types.includes('*'));
  }

  /** Whether its filter lets a status pass. */
  sends(status: number, before: StatusBefore): boolean {
    return sends(this.filter, status, before);
  }

  laneOf(entity: string | null): string | null {
    const { ordering } = this.policy;
    return ordering === 'none' ? null : ordering === 'strict' ? '*' : entity;
  }

  /** 410: nothing more is planned for it, and what is queued ends. */
  disable(): void {
    this.isGone = true;
    this.isEnabled = false;
  }

  enable(isEnabled: boolean): void {
    this.isEnabled = isEnabled;
    if (isEnabled) this.isGone = false;
  }

  change(policy: ModelPolicy, now: number): void {
    const reconnects = policy.concurrency !== this.policy.concurrency;
    this.policy = policy;
    if (policy.breaker === null) {
      this.restart(null);
      this.store();
    } else if (this.open !== null && reconnects) this.open = { ...this.open, probeAt: now };
  }

  /** A restart keeps what is stored: an open circuit breaker, but neither its failures nor its ramp. */
  restart(open: ModelOpening | null): void {
    this.open = open;
    this.failures = 0;
    this.ramp = null;
  }

  /** @param newest the newest event: the router creates the deliveries of those after it */
  filterBy(filter: ModelFilter, newest: number): void {
    if (!this.isRouted) this.routedFrom = newest;
    this.filter = filter;
    this.isRouted ||= filter.isRouted;
  }

  isDue({ state, due }: ModelDelivery, now: number): boolean {
    if (state !== 'retrying') return state === 'pending';
    return due! <= now || due! > now + Math.max(0, ...this.policy.delays);
  }

  isProbeDue(now: number): boolean {
    const { probeAt } = this.open!;
    return probeAt <= now || probeAt > now + (this.policy.breaker?.cap ?? 0);
  }

  observe(isOutage: boolean, isProbe: boolean, now: number): void {
    const before = this.open;
    this.next(isOutage, isProbe, now);
    if (this.open !== before) this.store();
  }

  private store(): void {
    this.storedBefore.push(this.storedOpen);
    this.storedOpen = this.open;
  }

  private next(isOutage: boolean, isProbe: boolean, now: number): void {
    const { breaker, concurrency } = this.policy;
    if (breaker === null) return this.restart(null);
    const probeAt = (probes: number) => now + Math.min(breaker.firstProbe * 2 ** probes, breaker.cap);
    if (!isOutage) {
      if (this.open !== null) this.ramp = 1;
      else if (this.ramp !== null) this.ramp = this.ramp + 1 >= concurrency ? null : this.ramp + 1;
      this.failures = 0;
      this.open = null;
    } else if (this.open !== null) {
      if (isProbe) this.open = { probes: this.open.probes + 1, probeAt: probeAt(this.open.probes + 1) };
    } else if ((this.failures += 1) >= breaker.failures) this.restart({ probes: 0, probeAt: probeAt(0) });
  }

  /** Why a delivery must not be sent beside these; null if it may. */
  refuses(delivery: ModelDelivery, flights: readonly ModelFlight[], now: number): string | null {
    if (this.open !== null) {
      if (!this.isProbeDue(now)) return 'came through an open circuit breaker';
      return flights.some(({ isProbe }) => isProbe) ? 'is a second probe' : null;
    }
    const slots = this.slots;
    if (flights.length >= slots) return `exceeds ${slots} slots`;
    const counted = flights.filter(({ isProbe }) => !isProbe);
    const shares = [slots, Math.max(1, Math.floor((slots * 3) / 4)), Math.max(1, Math.floor(slots / 2))];
    for (let first = delivery.class; first > 0; first -= 1)
      if (counted.filter((flight) => flight.class >= first).length >= shares[first]!)
        return `is of class ${delivery.class} in a slot for class ${first - 1}`;
    return null;
  }

  private get slots(): number {
    return Math.min(this.ramp ?? this.policy.concurrency, this.policy.concurrency);
  }
}
