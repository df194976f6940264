import {
  PRIORITY,
  type DeliveryClass,
  type DeliveryResult,
  type QueuedDelivery,
  type PromotedDelivery,
} from '../../database/journal/journal';
import type { CopyEvent } from '../../database/journal/deliverable-event';
import type { DeliveryKey } from '../../ground/ids';
import type { TargetRecord } from '../../targets/target-record';
import { allowedConcurrency, isProbeDue, type BreakerState } from '../sending/breaker';
import { endingOf } from '../ending';
import { classifyOutcome } from '../sending/attempt-outcome';
import { makeAttempt, type AttemptTools } from '../sending/make-attempt';
import { recordOutcome, type OutcomeTools } from '../sending/record-outcome';
import { DueReader } from './due-reader';
import { RateLimiter } from './rate-limiter';
import { ReadAhead } from './read-ahead';
import { CLASSES, ReadyDeliveries } from './ready-deliveries';
import { SlotCooldown } from './slot-cooldown';
import { TargetSender, type SenderTools } from '../sending/target-sender';
import { takeOldestDue } from './take-due';
import { NonOverlapping } from '../../ground/non-overlapping';

/** How many deliveries that were just committed are kept in memory. */
const MAX_ENQUEUED = 256;

/** With this many deliveries in memory, nothing more is read: a failing disk must not exhaust memory. */
const MAX_IN_MEMORY = 2_000;

export type QueueTools = AttemptTools & OutcomeTools & SenderTools;

/**
 * Sends the due deliveries of one target. A delivery is in memory from the moment it is read until its result
 * is on disk; if the process is killed, it is simply due again. The queue is in one of these modes:
 *
 * - sending: free slots are filled with ready deliveries; when a class runs empty, its next block is read
 * - probing: the circuit breaker is open; whenever a probe is due, the delivery that has been due longest is
 *   sent alone
 * - idle: the target is paused, no process takes its events, or another daemon may deliver to it; nothing is sent
 *   until that has changed
 * - stopping: nothing more is read; attempts in flight end, or are aborted by `close`
 *
 * The modes are derived from the breaker, the target and `stopping`, and are checked again after each await.
 */
export class TargetQueue {
  /** Deliveries that were read and whose result is not on disk yet. */
  private readonly inMemory = new Set<string>();
  /** The deliveries in memory that are in flight. */
  private readonly sending = new Map<string, DeliveryKey>();
  private readonly ready = new ReadyDeliveries();
  private readonly readAhead: ReadAhead;
  private readonly due: DueReader;
  private reading = false;
  /** Whether deliveries may have become due while others were read. */
  private mustReadAgain = false;
  private readonly probes = new NonOverlapping(
    () => this.probe(),
    (error) => this.tools.log.error({ err: error, target: this.target.id }, 'breaker not probed'),
  );
  private stopping = false;
  private readonly sender: TargetSender;
  private readonly rate: RateLimiter;
  private readonly cooldown = new SlotCooldown();
  private onDrained: (() => void) | null = null;
  private drained: Promise<void> | null = null;

  constructor(
    private target: TargetRecord,
    private readonly tools: QueueTools,
  ) {
    this.sender = new TargetSender(target, tools);
    this.due = new DueReader(tools);
    this.readAhead = new ReadAhead(tools);
    this.rate = new RateLimiter(target.policy.rate, tools.clock, () => this.fill());
  }

  get inFlight(): number {
    return this.sending.size;
  }

  isInFlight(key: DeliveryKey): boolean {
    return this.sending.has(keyText(key));
  }

  keysInFlight(): DeliveryKey[] {
    return [...this.sending.values()];
  }

  /**
   * The first delivery of an event that was just committed. If nothing older is left on disk, it is kept here and
   * need not be read. Call `wake` after the last one of a commit.
   */
  enqueue(key: DeliveryKey, lane: string | null, createdAt: number, copyEvent: CopyEvent): void {
    const mayHaveOlder = this.due.mayHaveMore(PRIORITY.live) || this.reading;
    const hasRoom = this.ready.count(PRIORITY.live) < MAX_ENQUEUED && this.inMemory.size <= MAX_IN_MEMORY;
    if (lane !== null || mayHaveOlder || !hasRoom || this.isIdle || this.breaker.open !== null) {
      this.due.expectMore(PRIORITY.live);
      return;
    }
    const { live } = PRIORITY;
    const first = { lane, attempts: 0, uncounted: 0, createdAt, trigger: 'live', replayId: null } as const;
    this.addToReady(live, [{ key, class: live, ...first, event: copyEvent() }]);
  }

  /** Deliveries of these classes may be due. */
  wake(classes: readonly DeliveryClass[] = CLASSES): void {
    this.due.restart(classes);
    this.fill();
  }

  /** Called when the head of a lane has finished: `successor` is the new head, and due. */
  promote(successor: PromotedDelivery): void {
    const next = this.readAhead.take(successor);
    if (next === null || this.isIdle || this.breaker.open !== null) this.due.restart();
    else this.addToReady(next.class, [next]);
    this.fill();
  }

  /** Removes a delivery from the queue. @returns false if it is already in flight */
  drop(key: DeliveryKey): boolean {
    const id = keyText(key);
    if (this.inMemory.has(id) && this.ready.remove(key)) this.inMemory.delete(id);
    return !this.sending.has(id);
  }

  /** Drops the events that were read ahead; they are read again when they are due. */
  forgetSuccessors(): void {
    this.readAhead.clear();
  }

  /** What was read and is not in flight may be outdated: it is read again. */
  readAgain(): void {
    this.releaseReady();
    this.fill();
  }

  /** Applies a change of the target. */
  update(target: TargetRecord): void {
    if (this.sender.update(target)) this.tools.breakers.probeNow(target);
    this.rate.update(target.policy.rate);
    this.target = target;
    if (target.disabled !== null) this.releaseReady();
    this.wake();
  }

  /** Starts no more attempts; resolves when none is in flight, and all results are on disk. */
  async stop(): Promise<void> {
    this.beginStopping();
    if (this.inMemory.size > 0)
      await (this.drained ??= new Promise<void>((resolve) => (this.onDrained = resolve)));
  }

  /** Aborts attempts in flight; their deliveries are due again at the next start. */
  async close(): Promise<void> {
    this.beginStopping();
    await this.sender.close();
  }

  private get breaker(): BreakerState {
    return this.tools.breakers.of(this.target.number);
  }

  private get isIdle(): boolean {
    const { ownership, listeners, failingTransforms } = this.tools;
    if (this.stopping || this.target.paused !== null || listeners.isOffline(this.target)) return true;
    if (failingTransforms.isPausing(this.target.number)) return true;
    return !ownership.delivers(this.target.number);
  }

  private beginStopping(): void {
    this.stopping = true;
    this.rate.close();
    this.cooldown.close();
    this.releaseReady();
  }

  private releaseReady(): void {
    for (const { key } of this.ready.clear()) this.inMemory.delete(keyText(key));
    this.readAhead.clear();
    this.due.restart();
  }

  /** Fills free slots with ready deliveries and reads more, or sends a probe if one is due. */
  private fill(): void {
    // While nothing is sent, what was read becomes outdated: a cancellation may not be announced to a daemon without
    // a lease.
    if (this.isIdle) return this.releaseReady();
    const { breaker } = this;
    if (breaker.open !== null) {
      if (isProbeDue(breaker.open, this.target.policy, this.tools.bounds.latest())) void this.probes.run();
      return;
    }
    const { number, policy } = this.target;
    const slots = Math.min(allowedConcurrency(breaker, policy), this.tools.listeners.capacityOf(number));
    while (this.sending.size + this.cooldown.size < slots && this.rate.hasToken()) {
      const due = this.ready.take(slots);
      if (due === null) break;
      this.rate.take();
      void this.deliver(due, { isProbe: false });
    }
    void this.readDue();
  }

  private async readDue(): Promise<void> {
    const wanted = CLASSES.filter((ofClass) => this.due.mayHaveMore(ofClass) && this.ready.isEmpty(ofClass));
    if (wanted.length === 0 || this.inMemory.size > MAX_IN_MEMORY) return;
    if (this.reading) {
      this.mustReadAgain = true;
      return;
    }
    this.reading = true;
    this.mustReadAgain = false;
    let found = false;
    try {
      for (const ofClass of wanted) found = (await this.readBlock(ofClass)) || found;
    } catch (error) {
      // The next tick retries.
      this.tools.log.error({ err: error, target: this.target.id }, 'due deliveries could not be read');
    } finally {
      this.reading = false;
    }
    if (found || this.mustReadAgain) this.fill();
  }

  private async readBlock(ofClass: DeliveryClass): Promise<boolean> {
    const found = await this.due.readBlock(this.target, ofClass, this.inMemory.size);
    if (!this.isIdle && this.breaker.open === null) return this.addToReady(ofClass, found);
    this.due.restart([ofClass]);
    return false;
  }

  /** @returns whether any of them is new and will be sent */
  private addToReady(ofClass: DeliveryClass, deliveries: QueuedDelivery[]): boolean {
    const added = deliveries.filter((delivery) => this.isNew(delivery));
    for (const { key } of added) this.inMemory.add(keyText(key));
    this.ready.add(ofClass, added);
    return added.length > 0;
  }

  /** Neither in memory already, nor about to be ended by the expiry worker. */
  private isNew({ key, createdAt }: QueuedDelivery): boolean {
    return !this.inMemory.has(keyText(key)) && endingOf(createdAt, this.target, this.tools.bounds) === null;
  }

  /** Sends the delivery that has been due longest, alone. */
  private async probe(): Promise<void> {
    const limit = 1 + this.inMemory.size;
    const due = await takeOldestDue(this.tools, this.target, limit, (delivery) => this.isNew(delivery));
    if (due === null || this.isIdle || this.breaker.open === null) return;
    this.inMemory.add(keyText(due.key));
    await this.deliver(due, { isProbe: true });
  }

  private async deliver(due: QueuedDelivery, { isProbe }: { isProbe: boolean }): Promise<void> {
    const id = keyText(due.key);
    this.sending.set(id, due.key);
    let result: DeliveryResult | null = null;
    let confirm: (() => void) | undefined;
    try {
      const attempt = makeAttempt(due, () => this.target, this.sender, this.tools);
      if (due.lane !== null)
        setImmediate(() => this.isInFlight(due.key) && void this.readAhead.readSuccessor(due));
      const completed = await attempt;
      if (completed !== null) {
        confirm = completed.outcome.confirm;
        result = recordOutcome(due, completed, this.target, this.tools, { isProbe });
        if (this.breaker.open !== null) this.releaseReady();
      }
    } catch (error) {
      // An error of Switchboard, not of the target: no attempt is counted, and the delivery is still due.
      this.tools.log.error({ err: error, target: this.target.id, seq: due.key.seq }, 'attempt not made');
    }
    this.sending.delete(id);
    if (result?.state !== 'succeeded') this.readAhead.forget(due);
    if (!isProbe) this.releaseSlot(due.class, result);
    this.fill();
    if (result !== null) await this.tools.journal.saveResult(result);
    confirm?.();
    this.inMemory.delete(id);
    if (this.stopping && this.inMemory.size === 0) this.onDrained?.();
  }

  /** Frees the slot of an attempt; if the target was unavailable, only once the cooldown has passed. */
  private releaseSlot(ofClass: DeliveryClass, result: DeliveryResult | null): void {
    if (result === null || classifyOutcome(result.attempt) !== 'unavailable' || this.stopping) {
      this.ready.done(ofClass);
      return;
    }
    this.cooldown.add(() => {
      this.ready.done(ofClass);
      this.fill();
    });
  }
}

const keyText = ({ seq, n }: DeliveryKey) => `${seq}.${n}`;
