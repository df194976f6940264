import type { Clock } from '../../ground/clock';
import type { DeliveryClass, DeliveryResult, Journal, OpenDelivery, Promoted } from '../../database/journal';
import type { DeliveryKey } from '../../ground/ids';
import type { Log } from '../../ground/log';
import type { Random } from '../../ground/random';
import type { AddressGuard } from '../../targets/address-guard';
import type { TargetRecord } from '../../targets/target-record';
import type { TimeBounds } from '../../ground/time-bounds';
import { allowedConcurrency, isProbeDue, type BreakerState } from '../sending/breaker';
import type { Breakers } from '../sending/breakers';
import { decideResult, retryAfterMs } from '../sending/decide-result';
import { describeAttempt } from '../describe-attempt';
import { describeOutcome } from '../describe-outcome';
import { endingOf } from '../ending-of';
import { classifyOutcome } from '../sending/classify-outcome';
import { makeAttempt, type MadeAttempt } from '../sending/make-attempt';
import { RateLimiter } from './rate-limiter';
import { ReadAhead } from './read-ahead';
import { CLASSES, ReadyDeliveries } from './ready-deliveries';
import { SlotCooldown } from './slot-cooldown';
import { TargetSender } from '../sending/send-attempt';
import { takeDue, takeOldestDue } from './take-due';

/** How many due deliveries of a class are read at a time. */
const BLOCK_SIZE = 64;

/** With this many results not on disk yet, nothing more is read: a failing disk must not exhaust memory. */
const MAX_HELD = 2_000;

export interface QueueTools {
  journal: Journal;
  guard: AddressGuard;
  breakers: Breakers;
  clock: Clock;
  bounds: TimeBounds;
  random: Random;
  log: Log;
  /** Called when the target asks to be sent nothing more; it is disabled when this returns. */
  disable(target: TargetRecord, reason: string): void;
}

/**
 * Sends the due deliveries of one target. A delivery is held in memory from the moment it is read until its result is on
 * disk; if the process dies, it is simply due again. The queue is in one of these modes:
 *
 * - sending: free slots are filled from what is ready, and the next block of due deliveries is read as a class runs empty
 * - probing: the circuit breaker is open, so the delivery that has been due longest is sent alone whenever a probe is due
 * - idle: the target is paused; nothing is sent until it is resumed
 * - stopping: nothing more is read; attempts in progress end or are aborted by `close`
 */
export class TargetQueue {
  private readonly held = new Set<string>();
  private readonly sending = new Map<string, DeliveryKey>();
  private readonly ready = new ReadyDeliveries();
  private readonly ahead: ReadAhead;
  /** Whether more deliveries of a class may be due than have been read. */
  private readonly moreDue = CLASSES.map(() => true);
  private reading = false;
  private probing = false;
  private stopping = false;
  private readonly sender: TargetSender;
  private readonly rate: RateLimiter;
  private readonly cooldown = new SlotCooldown();
  private onDrained: (() => void) | null = null;

  constructor(
    private target: TargetRecord,
    private readonly tools: QueueTools,
  ) {
    this.sender = new TargetSender(target, tools.guard);
    this.ahead = new ReadAhead(tools);
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

  /** Deliveries of these classes may be due. */
  wake(classes: readonly DeliveryClass[] = CLASSES): void {
    for (const ofClass of classes) this.moreDue[ofClass] = true;
    this.fill();
  }

  /** The delivery is now the head of its lane, and due. */
  promote(promoted: Promoted): void {
    const next = this.ahead.take(promoted);
    if (next === null || this.isIdle || this.breaker.open !== null) this.moreDue.fill(true);
    else this.hold(next.class, [next]);
    this.fill();
  }

  /** Removes a delivery from the queue. @returns false if it is already in flight */
  drop(key: DeliveryKey): boolean {
    const name = keyText(key);
    if (this.held.has(name) && this.ready.remove(key)) this.held.delete(name);
    return !this.sending.has(name);
  }

  /** Applies a change of the target. */
  update(target: TargetRecord): void {
    if (this.sender.update(target)) this.tools.breakers.probeNow(target);
    this.rate.update(target.policy.rate);
    this.target = target;
    if (target.paused !== null || target.disabled !== null) this.releaseReady();
    this.wake();
  }

  /** Reads nothing more; resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.stopTaking();
    if (this.sending.size === 0) return;
    await new Promise<void>((resolve) => (this.onDrained = resolve));
  }

  /** Aborts attempts in flight; their deliveries are due again at the next start. */
  async close(): Promise<void> {
    this.stopTaking();
    await this.sender.close();
  }

  private get breaker(): BreakerState {
    return this.tools.breakers.of(this.target.number);
  }

  private get isIdle(): boolean {
    return this.stopping || this.target.paused !== null;
  }

  private stopTaking(): void {
    this.stopping = true;
    this.rate.close();
    this.cooldown.close();
    this.releaseReady();
  }

  private releaseReady(): void {
    for (const { key } of this.ready.clear()) this.held.delete(keyText(key));
    this.ahead.clear();
    this.moreDue.fill(true);
  }

  private fill(): void {
    if (this.isIdle) return;
    const { breaker } = this;
    if (breaker.open !== null) {
      if (isProbeDue(breaker.open, this.target.policy, this.tools.bounds.latest())) void this.probe();
      return;
    }
    const slots = allowedConcurrency(breaker, this.target.policy);
    while (this.sending.size + this.cooldown.size < slots && this.rate.hasToken()) {
      const due = this.ready.take(slots);
      if (due === null) break;
      this.rate.take();
      void this.deliver(due, false);
    }
    void this.readDue();
  }

  private async readDue(): Promise<void> {
    const wanted = CLASSES.filter((ofClass) => this.moreDue[ofClass] && this.ready.isEmpty(ofClass));
    if (this.reading || wanted.length === 0 || this.held.size > MAX_HELD) return;
    this.reading = true;
    let found = false;
    try {
      for (const ofClass of wanted) found = (await this.readBlock(ofClass)) || found;
    } catch (error) {
      // The next tick retries.
      this.tools.log.error({ err: error, target: this.target.id }, 'due deliveries could not be read');
    } finally {
      this.reading = false;
    }
    if (found) this.fill();
  }

  private async readBlock(ofClass: DeliveryClass): Promise<boolean> {
    this.moreDue[ofClass] = false;
    // Deliveries that are held are still due on disk, so they are read again with the block.
    const limit = BLOCK_SIZE + this.held.size;
    const found = await takeDue(this.tools, this.target, ofClass, limit);
    if (found.length === limit) this.moreDue[ofClass] = true;
    if (this.isIdle || this.breaker.open !== null) return false;
    return this.hold(ofClass, found);
  }

  /** @returns whether any of them was not held yet and is to be sent */
  private hold(ofClass: DeliveryClass, deliveries: OpenDelivery[]): boolean {
    const fresh = deliveries.filter((delivery) => this.isFresh(delivery));
    for (const { key } of fresh) this.held.add(keyText(key));
    this.ready.add(ofClass, fresh);
    return fresh.length > 0;
  }

  private isFresh({ key, createdAt }: OpenDelivery): boolean {
    const earliest = this.tools.bounds.earliest();
    return !this.held.has(keyText(key)) && endingOf(createdAt, this.target, earliest) === null;
  }

  /** While the breaker is open, one at a time: the delivery that has been due longest. */
  private async probe(): Promise<void> {
    if (this.probing) return;
    this.probing = true;
    try {
      const limit = 1 + this.held.size;
      const due = await takeOldestDue(this.tools, this.target, limit, (one) => this.isFresh(one));
      if (due === null || this.isIdle || this.breaker.open === null) return;
      this.held.add(keyText(due.key));
      await this.deliver(due, true);
    } catch (error) {
      this.tools.log.error({ err: error, target: this.target.id }, 'breaker not probed');
    } finally {
      this.probing = false;
    }
  }

  private async deliver(due: OpenDelivery, probe: boolean): Promise<void> {
    const name = keyText(due.key);
    this.sending.set(name, due.key);
    let result: DeliveryResult | null = null;
    try {
      const attempt = makeAttempt(due, () => this.target, this.sender, this.tools);
      if (due.lane !== null)
        setImmediate(() => this.isInFlight(due.key) && void this.ahead.readSuccessor(due));
      const made = await attempt;
      if (made !== null) result = this.recordOutcome(due, made, probe);
    } catch (error) {
      // A fault of our own, not of the target: no attempt is counted, and the delivery is still due.
      this.tools.log.error({ err: error, target: this.target.id, seq: due.key.seq }, 'attempt not made');
    }
    this.sending.delete(name);
    if (result?.state !== 'succeeded') this.ahead.forget(due);
    if (!probe) this.freeSlot(due.class, result);
    if (this.stopping && this.sending.size === 0) this.onDrained?.();
    this.fill();
    if (result !== null) await this.tools.journal.settle(result);
    this.held.delete(name);
  }

  /** Frees the attempt's slot, after an outage only once the cooldown has passed. */
  private freeSlot(ofClass: DeliveryClass, result: DeliveryResult | null): void {
    if (result === null || classifyOutcome(result.attempt) !== 'outage' || this.stopping) {
      this.ready.done(ofClass);
      return;
    }
    this.cooldown.add(() => {
      this.ready.done(ofClass);
      this.fill();
    });
  }

  /** Decides the delivery's result, and updates the target's circuit breaker. */
  private recordOutcome(due: OpenDelivery, made: MadeAttempt, probe: boolean): DeliveryResult {
    const { startedAt, endedLatest, outcome } = made;
    const { journal, random, log, breakers } = this.tools;
    const { target, breaker } = this;
    const at = startedAt + outcome.durationMs;
    const { result, gone } = decideResult(due, outcome, {
      policy: target.policy,
      startedAt,
      endedLatest,
      fraction: random.fraction(),
      breakerOpen: breaker.open !== null,
    });
    const level = result.state === 'succeeded' ? 'debug' : 'info';
    if (log.isLevelEnabled(level))
      log[level](describeAttempt(due, made, target, result, journal.instanceId), 'attempt');
    if (gone !== null && target.disabled === null) this.tools.disable(target, gone);
    const after = breakers.observe(target, {
      verdict: classifyOutcome(outcome),
      at,
      latest: endedLatest,
      probe,
      askedMs: retryAfterMs(outcome, target.policy, at),
      sentence: `${describeOutcome(outcome)}.`,
    });
    if (after.open !== null) this.releaseReady();
    return result;
  }
}

const keyText = ({ seq, n }: DeliveryKey) => `${seq}.${n}`;
