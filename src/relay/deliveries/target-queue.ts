import type { Clock } from '../clock';
import type { DeliverableEvent, DeliveryResult, DueDelivery, Journal } from '../database/journal';
import { deliveryId, eventId, traceId, type DeliveryKey } from '../ids';
import type { Log } from '../log';
import type { Random } from '../random';
import type { AddressGuard } from '../targets/address-guard';
import type { TargetRecord } from '../targets/target-record';
import { decideResult } from './decide-result';
import { deliveryHeaders } from './delivery-headers';
import { TargetSender } from './send-attempt';

/** How many due deliveries are taken at a time. */
const BLOCK = 64;

/** With so many results not on disk yet, nothing more is taken: a failing disk must not fill the memory. */
const HELD_LIMIT = 2_000;

export interface QueueTools {
  journal: Journal;
  guard: AddressGuard;
  clock: Clock;
  random: Random;
  log: Log;
  /** The target asked to be sent nothing more. */
  pause(target: TargetRecord, reason: string): void;
}

/**
 * What is due for one target and what is on its way there. A delivery is held from the moment it is taken until its
 * result is on disk, in memory only: should the process die, it is simply due again.
 */
export class TargetQueue {
  private readonly held = new Set<string>();
  private readonly sending = new Map<string, DeliveryKey>();
  private ready: DueDelivery[] = [];
  private taking = false;
  private moreDue = true;
  private stopping = false;
  private sender: TargetSender;
  private idle: (() => void) | null = null;

  constructor(
    private target: TargetRecord,
    private readonly tools: QueueTools,
  ) {
    this.sender = new TargetSender(target, tools.guard);
  }

  get inFlight(): number {
    return this.sending.size;
  }

  isInFlight(key: DeliveryKey): boolean {
    return this.sending.has(nameOf(key));
  }

  keysInFlight(): DeliveryKey[] {
    return [...this.sending.values()];
  }

  /** Something may be due. */
  wake(): void {
    this.moreDue = true;
    this.pump();
  }

  /** The target as it is from now on. */
  become(target: TargetRecord): void {
    if (!this.sender.fits(target)) {
      const before = this.sender;
      this.sender = new TargetSender(target, this.tools.guard);
      void before.close();
    }
    this.target = target;
    if (target.paused !== null) this.letGo();
    else this.wake();
  }

  /** Takes nothing more; resolves when nothing is on its way. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.letGo();
    if (this.sending.size === 0) return;
    await new Promise<void>((resolve) => (this.idle = resolve));
  }

  /** Cuts what is on its way: it is due again at the next start. */
  async close(): Promise<void> {
    this.stopping = true;
    this.letGo();
    await this.sender.close();
  }

  private letGo(): void {
    for (const due of this.ready) this.held.delete(nameOf(due.key));
    this.ready = [];
  }

  private pump(): void {
    while (
      !this.stopping &&
      this.target.paused === null &&
      this.sending.size < this.target.policy.concurrency
    ) {
      const due = this.ready.shift();
      if (due === undefined) {
        void this.take();
        return;
      }
      void this.deliver(due);
    }
  }

  private async take(): Promise<void> {
    if (this.taking || !this.moreDue || this.held.size > HELD_LIMIT) return;
    this.taking = true;
    try {
      await this.takeBlock();
    } catch (error) {
      // The next tick tries again.
      this.tools.log.error({ err: error, target: this.target.id }, 'due deliveries could not be read');
    } finally {
      this.taking = false;
    }
    if (this.ready.length > 0) this.pump();
  }

  private async takeBlock(): Promise<void> {
    this.moreDue = false;
    // What is held is still due on disk, so it comes back with the block.
    const limit = BLOCK + this.held.size;
    const found = await this.tools.journal.takeDue(this.target.number, this.tools.clock.now(), limit);
    if (found.length === limit) this.moreDue = true;
    if (this.stopping || this.target.paused !== null) return;
    this.ready = found.filter(({ key }) => !this.held.has(nameOf(key)));
    for (const { key } of this.ready) this.held.add(nameOf(key));
  }

  private async deliver(due: DueDelivery): Promise<void> {
    const name = nameOf(due.key);
    this.sending.set(name, due.key);
    let result: DeliveryResult | null = null;
    try {
      result = await this.attempt(due);
    } catch (error) {
      // Our own fault, not the target's: no attempt is counted, and the delivery is still due.
      this.tools.log.error({ err: error, target: this.target.id, seq: due.key.seq }, 'attempt not made');
    }
    this.sending.delete(name);
    if (this.stopping && this.sending.size === 0) this.idle?.();
    this.pump();
    if (result !== null) await this.tools.journal.settle(result);
    this.held.delete(name);
  }

  private async attempt(due: DueDelivery): Promise<DeliveryResult | null> {
    const { clock, random, log, journal } = this.tools;
    const event = await journal.readEvent(due.key.seq);
    if (event === null) return null;
    const startedAt = clock.now();
    const outcome = await this.sender.send(this.headers(due, event, startedAt), event.body);
    if (outcome === null) return null;
    const { result, pause } = decideResult(due, outcome, startedAt, random.fraction());
    const level = result.state === 'succeeded' ? 'debug' : 'info';
    if (log.isLevelEnabled(level)) log[level](this.record(due, event, result), 'attempt');
    if (pause !== null) {
      // At once, not only when it is on disk: until then the next delivery would go out.
      this.target = { ...this.target, paused: { at: startedAt, reason: pause } };
      this.letGo();
      this.tools.pause(this.target, pause);
    }
    return result;
  }

  private record(due: DueDelivery, event: DeliverableEvent, { attempt, state, dueAt }: DeliveryResult) {
    const { hub } = this.tools.journal;
    return {
      delivery: deliveryId(due.key, hub),
      event: eventId(event.receivedAt, event.seq, hub),
      type: event.type,
      target: this.target.id,
      attempt: attempt.number,
      status: attempt.status,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      state,
      due_at: dueAt,
    };
  }

  private headers(due: DueDelivery, event: DeliverableEvent, startedAt: number): Record<string, string> {
    const { hub } = this.tools.journal;
    const id = eventId(event.receivedAt, event.seq, hub);
    const identity = {
      eventId: id,
      deliveryId: deliveryId(due.key, hub),
      traceId: traceId(event.receivedAt, event.seq, hub),
      spanId: this.tools.random.bytes(8).toString('hex'),
      attempt: due.attempts + 1,
      trigger: due.trigger,
      replayId: due.replayId,
    };
    return deliveryHeaders(event, identity, this.target, startedAt);
  }
}

const nameOf = ({ seq, n }: DeliveryKey) => `${seq}.${n}`;
