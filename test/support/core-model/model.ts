import { DeliveryQueue, isQueued, keyText, type ModelDelivery, type ModelKey } from './model-deliveries';
import type { ModelFilter } from './filters';
import { ModelRouter } from './model-router';
import { ModelTarget, type ModelPolicy } from './model-target';
import { ModelRecords } from './records';

export interface ModelEvent {
  seq: number;
  type: string;
  entity: string;
  receivedAt: number;
  /** The number in its body, which identifies it. */
  body: number;
  /** Of the record in its body: what filters look at, and when it was changed. */
  status: number;
  version: number | null;
}

export type Selection =
  | { kind: 'all' }
  | { kind: 'type'; type: string }
  | { kind: 'outcome'; outcome: 'dead' | 'succeeded' | 'open' }
  | { kind: 'missed_by'; target: number };

export interface ModelReplay {
  id: string;
  state: 'running' | 'paused' | 'cancelling' | 'done' | 'cancelled';
  deliveries: number;
}

/** A request under way: as what it was sent. */
export interface ModelFlight extends ModelKey {
  class: number;
  isProbe: boolean;
}

const STATES = {
  dead: ['dead'],
  succeeded: ['succeeded'],
  open: ['waiting', 'pending', 'retrying'],
};

/**
 * What should be true of events, deliveries, targets and replays after each operation, according to docs/delivery.md:
 * without a database, groups or threads, and all at once.
 */
export class Model {
  readonly events = new Map<number, ModelEvent>();
  readonly queue = new DeliveryQueue();
  readonly targets = new Map<number, ModelTarget>();
  readonly replays = new Map<string, ModelReplay>();
  readonly flights = new Map<string, ModelFlight>();
  readonly records = new ModelRecords();
  readonly router = new ModelRouter(this);
  lastSeq = 0;

  constructor(private readonly now: () => number) {}

  /** The targets that exist, in order of creation. */
  get existing(): ModelTarget[] {
    return [...this.targets.values()].filter(({ isRemoved }) => !isRemoved);
  }

  addTarget(
    number: number,
    id: string,
    types: readonly string[],
    policy: ModelPolicy,
    filter: ModelFilter,
  ): void {
    this.targets.set(number, new ModelTarget(number, id, types, policy, filter));
  }

  /** The targets that an event is planned for now. */
  plan({ type, entity, status }: Omit<ModelEvent, 'seq'>): { target: number; lane: string | null }[] {
    return this.existing
      .filter((target) => !target.isRouted && target.accepts(type) && target.sends(status, null))
      .map((target) => ({ target: target.number, lane: target.laneOf(entity) }));
  }

  /** An event was acknowledged. */
  store(event: ModelEvent, planned: { target: number; lane: string | null }[]): void {
    this.events.set(event.seq, event);
    this.records.add(event);
    this.lastSeq = event.seq;
    for (const { target, lane } of planned)
      this.queue.add({ seq: event.seq, target, n: 0 }, { lane, class: 0, createdAt: event.receivedAt });
  }

  /** A request arrives. @returns why it should not have; null if it may */
  request(key: ModelKey, attempt: number): string | null {
    if (this.queue.get(key) === undefined) this.router.route(key.seq);
    const before = this.errorOf(key, attempt);
    // What was ahead of it may have expired in this moment.
    if (before !== null) this.expire();
    const error = before && this.errorOf(key, attempt);
    const delivery = this.queue.get(key);
    const isProbe = this.targets.get(key.target)!.open !== null;
    if (delivery !== undefined) this.flights.set(keyText(key), { ...key, class: delivery.class, isProbe });
    return error;
  }

  /** A request has an outcome. @param status null: no response */
  respond(key: ModelKey, status: number | null): void {
    const { isProbe } = this.flights.get(keyText(key))!;
    this.flights.delete(keyText(key));
    const target = this.targets.get(key.target)!;
    const delivery = this.queue.edit(key);
    const isOutage = status === null || status === 429 || status >= 500;
    const wasOpen = target.open !== null;
    target.observe(isOutage, isProbe, this.now());
    if (status === 410) target.disable();
    if (delivery === undefined) return;
    delivery.attempts += 1;
    // It was ended while the request was under way.
    if (!isQueued(delivery)) return;
    if (status !== null && status < 300) return this.queue.succeed(delivery);
    const stops = target.policy.stops;
    if (status === 410) return this.queue.die(delivery, stops);
    if (wasOpen && isOutage) {
      delivery.uncounted += 1;
      return this.queue.retry(delivery, this.now());
    }
    const pause = target.policy.delays[delivery.attempts - delivery.uncounted - 1];
    if (pause === undefined) this.queue.die(delivery, stops);
    else this.queue.retry(delivery, this.now() + pause);
  }

  /** A request ends without an outcome. */
  lose(key: ModelKey): void {
    this.flights.delete(keyText(key));
  }

  /** Deliveries end that are past their lifetime, or whose target is gone; a request under way finishes first. */
  expire(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const delivery of this.queue.all())
        if (
          this.mustEnd(delivery) &&
          this.queue.expire(delivery, this.targets.get(delivery.target)!.policy.stops)
        )
          changed = true;
    }
  }

  /** When its lifetime ends. */
  endsAt({ createdAt, target }: ModelDelivery): number {
    return createdAt + this.targets.get(target)!.policy.maxAge;
  }

  /** Whether a delivery of a replay may expire while it is being cancelled: either may come first. */
  expiresWithin(replay: string, ms: number): boolean {
    return this.queue
      .all()
      .some((one) => one.replay === replay && isQueued(one) && this.endsAt(one) <= this.now() + ms);
  }

  mustEnd(delivery: ModelDelivery): boolean {
    const target = this.targets.get(delivery.target)!;
    if (!isQueued(delivery) || target.isRemoved || this.flights.has(keyText(delivery))) return false;
    return target.isGone || this.endsAt(delivery) <= this.now();
  }

  removeTarget(number: number): void {
    this.targets.get(number)!.isRemoved = true;
    for (const delivery of this.queue.all())
      if (delivery.target === number) this.queue.cancelWithTarget(delivery);
  }

  /** Dead letters of existing targets. */
  deadLetters(seq: number): number {
    const isCurrent = (one: ModelDelivery) =>
      !this.targets.get(one.target)!.isRemoved && this.queue.isDeadLetter(one);
    return this.queue.ofEvent(seq).filter(isCurrent).length;
  }

  hasUnfinished(seq: number): boolean {
    return this.queue.ofEvent(seq).some((one) => isQueued(one) || one.blocks);
  }

  /** A step of retention. @returns the events it removes */
  prune(
    seqs: readonly number[],
    { deadLetters, cancel }: { deadLetters: boolean; cancel: boolean },
  ): number[] {
    const removed = seqs.filter(
      (seq) =>
        this.events.has(seq) &&
        seq < this.lastSeq &&
        (cancel || !this.hasUnfinished(seq)) &&
        (deadLetters || this.deadLetters(seq) === 0),
    );
    for (const seq of removed) this.loseEvent(seq);
    return removed;
  }

  /** It is removed, and the states of its entity are not kept. */
  loseEvent(seq: number): void {
    this.records.lose(this.events.get(seq)!);
    this.removeEvent(seq);
  }

  removeEvent(seq: number): void {
    for (const delivery of this.queue.ofEvent(seq)) {
      if (isQueued(delivery) || delivery.blocks) this.queue.cancel(delivery);
      this.queue.remove(delivery);
    }
    this.events.delete(seq);
    this.router.created.delete(seq);
  }

  /** The events that a replay of this selection sends, with the targets. @param named null: where they went live */
  selected(
    selection: Selection,
    named: readonly number[] | null,
  ): { event: ModelEvent; targets: number[] }[] {
    const found = [...this.events.values()].map((event) => ({
      event,
      targets: this.originals(event, selection).filter(
        (number) =>
          named !== null || (this.targets.get(number)!.isEnabled && !this.targets.get(number)!.isRemoved),
      ),
    }));
    return found
      .filter(({ event, targets }) => {
        if (selection.kind === 'type' && event.type !== selection.type) return false;
        if (selection.kind === 'missed_by' && !this.missed(event.seq, selection.target)) return false;
        return (named !== null && selection.kind !== 'outcome') || targets.length > 0;
      })
      .map(({ event, targets }) => ({ event, targets: [...(named ?? targets)].toSorted((a, b) => a - b) }));
  }

  startReplay(id: string, selected: ReturnType<Model['selected']>): void {
    let deliveries = 0;
    for (const { event, targets } of selected)
      for (const target of targets) {
        const lane = this.targets.get(target)!.laneOf(event.entity);
        const options = { lane: lane && `${id}/${lane}`, class: 2, createdAt: this.now(), replay: id };
        this.queue.add({ seq: event.seq, target, n: this.queue.nextN(event.seq, target) }, options);
        deliveries += 1;
      }
    this.replays.set(id, { id, state: 'running', deliveries });
  }

  /** Replays whose deliveries are all finished are done; one that is being cancelled is cancelled. */
  endReplays(): void {
    const isUnfinished = (one: ModelDelivery) =>
      isQueued(one) && this.replays.get(one.replay ?? '') !== undefined;
    const unfinished = new Set(
      this.queue
        .all()
        .filter(isUnfinished)
        .map(({ replay }) => replay),
    );
    for (const replay of this.replays.values())
      if (replay.state === 'cancelling') this.cancelReplay(replay.id);
      else if (replay.state === 'running' && !unfinished.has(replay.id)) replay.state = 'done';
  }

  private cancelReplay(id: string): void {
    // The newest first, so that none is promoted meanwhile.
    for (const delivery of this.queue.all().toReversed())
      if (delivery.replay === id && isQueued(delivery)) this.queue.cancel(delivery);
    this.replays.get(id)!.state = 'cancelled';
  }

  private originals({ seq }: ModelEvent, selection: Selection): number[] {
    const deliveries = this.queue.ofEvent(seq);
    const isOriginal = (one: ModelDelivery) =>
      selection.kind === 'outcome'
        ? this.queue.isLatest(one) && STATES[selection.outcome].includes(one.state)
        : one.n === 0;
    return deliveries.filter(isOriginal).map(({ target }) => target);
  }

  private missed(seq: number, target: number): boolean {
    const isSent = (one: ModelDelivery) =>
      one.target === target && (one.n === 0 || one.state !== 'cancelled');
    return !this.queue.ofEvent(seq).some(isSent);
  }

  private errorOf(key: ModelKey, attempt: number): string | null {
    const delivery = this.queue.get(key);
    const target = this.targets.get(key.target)!;
    if (delivery === undefined) return 'is unknown';
    if (this.flights.has(keyText(delivery))) return 'is already in flight';
    if (attempt !== delivery.attempts + 1) return `is attempt ${attempt} after ${delivery.attempts}`;
    if (!target.isDue(delivery, this.now())) return `is ${delivery.state} and not due`;
    if (!this.queue.isHead(delivery)) return 'is not the head of its lane';
    if (target.isRemoved || target.isGone) return 'came after its target was removed or gone';
    if (target.isPaused) return 'came while its target was paused';
    return target.refuses(delivery, this.flightsTo(target.number), this.now());
  }

  flightsTo(number: number): ModelFlight[] {
    return [...this.flights.values()].filter(({ target }) => target === number);
  }
}
