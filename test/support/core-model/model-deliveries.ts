export interface ModelKey {
  seq: number;
  target: number;
  n: number;
}

export interface ModelDelivery extends ModelKey {
  lane: string | null;
  state: 'waiting' | 'pending' | 'retrying' | 'succeeded' | 'dead' | 'cancelled';
  attempts: number;
  uncounted: number;
  /** When a retry is due, in ms since 1970; null unless it is retrying. */
  due: number | null;
  /** 0: live and by hand, 1: retries, 2: replays. */
  class: number;
  createdAt: number;
  replay: string | null;
  /** Dead, and those behind it in its lane wait. */
  blocks: boolean;
}

export const keyText = ({ seq, target, n }: ModelKey) => `${seq}.${target}.${n}`;

export const isQueued = ({ state }: Pick<ModelDelivery, 'state'>) =>
  state === 'waiting' || state === 'pending' || state === 'retrying';

const byKey = (a: ModelKey, b: ModelKey) => a.seq - b.seq || a.target - b.target || a.n - b.n;

type Options = Pick<ModelDelivery, 'lane' | 'class' | 'createdAt'> & Partial<ModelDelivery>;

/** All deliveries and their lanes, as they should be. */
export class DeliveryQueue {
  /** As they were at any time of the present step, before their last change; null: they did not exist. */
  readonly before = new Map<string, (ModelDelivery | null)[]>();
  private readonly byKey = new Map<string, ModelDelivery>();

  get(key: ModelKey): ModelDelivery | undefined {
    return this.byKey.get(keyText(key));
  }

  /** In order of event, target and `n`. */
  all(): ModelDelivery[] {
    return [...this.byKey.values()].toSorted(byKey);
  }

  ofEvent(seq: number): ModelDelivery[] {
    return [...this.byKey.values()].filter((one) => one.seq === seq).toSorted(byKey);
  }

  /** 0 is for the one that is planned with the event. */
  nextN(seq: number, target: number): number {
    return 1 + Math.max(0, ...this.ofTarget(seq, target).map(({ n }) => n));
  }

  add(key: ModelKey, options: Options): ModelDelivery {
    const delivery: ModelDelivery = {
      state:
        options.lane !== null && this.inLane(key.target, options.lane).length > 0 ? 'waiting' : 'pending',
      attempts: 0,
      uncounted: 0,
      due: null,
      replay: null,
      blocks: false,
      ...key,
      ...options,
    };
    this.remember(key, null);
    this.byKey.set(keyText(key), delivery);
    return delivery;
  }

  /** A delivery that is about to change. */
  edit(key: ModelKey): ModelDelivery | undefined {
    const delivery = this.get(key);
    if (delivery !== undefined) this.remember(key, { ...delivery });
    return delivery;
  }

  remove(key: ModelKey): void {
    this.edit(key);
    this.byKey.delete(keyText(key));
  }

  /** Takes over what is stored, after a crash. */
  replaceAll(deliveries: readonly ModelDelivery[]): void {
    this.byKey.clear();
    for (const delivery of deliveries) this.byKey.set(keyText(delivery), delivery);
  }

  succeed(delivery: ModelDelivery): void {
    this.end(delivery, 'succeeded');
    this.release(delivery);
  }

  retry(delivery: ModelDelivery, due: number): void {
    Object.assign(delivery, { state: 'retrying', due, class: Math.max(delivery.class, 1) });
  }

  /** @param stops whether a dead letter stops its lane */
  die(delivery: ModelDelivery, stops: boolean): void {
    this.end(delivery, 'dead', stops && delivery.lane !== null);
    if (delivery.blocks) this.release(delivery);
  }

  /** @returns false if it must wait for those ahead of it in its lane */
  expire({ ...key }: ModelDelivery, stops: boolean): boolean {
    const delivery = this.edit(key)!;
    const isInStoppingLane = stops && delivery.lane !== null;
    const first = delivery.lane === null ? delivery : this.inLane(delivery.target, delivery.lane)[0];
    if (isInStoppingLane && delivery.state === 'waiting' && first?.blocks !== true) return false;
    if (delivery.state === 'waiting') this.end(delivery, 'dead');
    else this.die(delivery, stops);
    return true;
  }

  cancel(key: ModelKey): void {
    this.end(this.edit(key)!, 'cancelled');
  }

  cancelWithTarget(key: ModelKey): void {
    const delivery = this.edit(key)!;
    if (isQueued(delivery)) Object.assign(delivery, { state: 'cancelled', due: null });
    delivery.blocks = false;
  }

  /** A new delivery of the same event, by hand. It takes the place in the lane that a dead letter stops. */
  retryByHand(key: ModelKey, now: number): ModelDelivery {
    const original = this.edit(key)!;
    const place = original.blocks ? original.lane : null;
    original.blocks = false;
    const n = this.nextN(key.seq, key.target);
    const added = this.add({ ...key, n }, { lane: place, class: 0, createdAt: now });
    this.promote(key.target, place);
    return added;
  }

  isHead({ lane, target, seq, n }: ModelDelivery): boolean {
    if (lane === null) return true;
    const [first] = this.inLane(target, lane);
    return first?.seq === seq && first.n === n;
  }

  isLatest({ seq, target, n }: ModelKey): boolean {
    return !this.ofTarget(seq, target).some((other) => other.n > n);
  }

  isDeadLetter(delivery: ModelDelivery): boolean {
    return delivery.state === 'dead' && (delivery.blocks || this.isLatest(delivery));
  }

  /** Those that occupy a lane, in order. */
  inLane(target: number, lane: string): ModelDelivery[] {
    const occupies = (one: ModelDelivery) =>
      one.lane === lane && one.target === target && (isQueued(one) || one.blocks);
    return [...this.byKey.values()].filter(occupies).toSorted(byKey);
  }

  private remember(key: ModelKey, state: ModelDelivery | null): void {
    const states = this.before.get(keyText(key));
    if (states === undefined) this.before.set(keyText(key), [state]);
    else states.push(state);
  }

  private ofTarget(seq: number, target: number): ModelDelivery[] {
    return [...this.byKey.values()].filter((one) => one.seq === seq && one.target === target);
  }

  private end(delivery: ModelDelivery, state: ModelDelivery['state'], blocks = false): void {
    Object.assign(delivery, { state, blocks, due: null });
    if (!blocks) this.promote(delivery.target, delivery.lane);
  }

  private promote(target: number, lane: string | null): void {
    const [first] = lane === null ? [] : this.inLane(target, lane);
    if (first?.state === 'waiting') this.edit(first)!.state = 'pending';
  }

  /** A dead letter stops its lane no longer once another delivery of its event has succeeded. */
  private release({ seq, target }: ModelKey): void {
    const all = this.ofTarget(seq, target);
    for (const one of all) {
      if (!one.blocks || !all.some(({ n, state }) => n > one.n && state === 'succeeded')) continue;
      this.edit(one)!.blocks = false;
      this.promote(target, one.lane);
    }
  }
}
