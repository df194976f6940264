import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../ground/clock';
import { Daemons } from '../../ground/daemons';
import { runAsSystem } from '../../ground/audit-context';
import { Journal, PRIORITY, type DeliveryClass } from '../../database/journal/journal';
import type { DeliveryKey } from '../../ground/ids';
import { Log } from '../../ground/log';
import { Random } from '../../ground/random';
import { TimeBounds } from '../../ground/time-bounds';
import { Tracer } from '../../ground/tracer';
import { PublicAddress } from '../../settings/public-address';
import { AddressGuard } from '../../targets/address-guard';
import type { TargetRecord } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { BreakerStore } from '../sending/breaker.store';
import { SendingThread } from '../sending/sending-thread';
import { InFlightElsewhere } from './in-flight-elsewhere';
import { TargetQueue } from './target-queue';
import { findDue } from './take-due';
import type { OnListening } from '../../ground/on-listening';
import { NonOverlapping } from '../../ground/non-overlapping';
import { withTimeout } from '../../ground/with-timeout';

/** How often the queues look for deliveries that have become due; new deliveries do not wait for it. */
export const TICK_INTERVAL_MS = 250;

/** How long a stop waits for attempts in flight. */
const STOP_TIMEOUT_MS = 8_000;

/**
 * Has one queue for each target that this daemon delivers to, and wakes it when deliveries are committed. Nothing else sends
 * deliveries.
 */
@Injectable()
export class DispatchWorker implements OnListening {
  private readonly queues = new Map<number, TargetQueue>();
  private readonly elsewhere = new InFlightElsewhere();
  private readonly looks = new NonOverlapping(
    () => this.wakeDue(),
    // The next tick tries again.
    (error) => this.log.warn({ err: error }, 'due deliveries were not looked for'),
  );
  private running = false;

  constructor(
    private readonly targets: TargetsService,
    private readonly daemons: Daemons,
    private readonly journal: Journal,
    private readonly guard: AddressGuard,
    private readonly sending: SendingThread,
    private readonly breakers: BreakerStore,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly tracer: Tracer,
    private readonly publicAddress: PublicAddress,
    private readonly log: Log,
  ) {
    targets.onChange((target) => this.syncQueue(target));
    journal.onCommit(({ events, scheduled, results, promoted, ended }) => {
      for (const { key } of results) this.elsewhere.delete(key);
      const woken = new Set<TargetQueue>();
      const outdated = new Set<TargetQueue>();
      for (const { seq, draft, planned, wasRead } of events)
        for (const { target, lane } of planned) {
          const queue = this.queues.get(target);
          if (queue === undefined) continue;
          if (wasRead !== true) queue.enqueue({ seq, target, n: 0 }, lane, draft.receivedAt);
          (wasRead === true ? outdated : woken).add(queue);
        }
      for (const { key } of ended) this.drop(key);
      for (const successor of promoted) this.queues.get(successor.target)?.promote(successor);
      for (const queue of woken) queue.wake([]);
      for (const queue of outdated) queue.wake([PRIORITY.live]);
      if (scheduled.length > 0) void this.wakeSettled(new Set(scheduled.map(({ target }) => target)));
    });
    daemons.onStoredElsewhere((numbers) => void this.wakeSettled(numbers, [PRIORITY.live]));
    daemons.onOwnership(() => this.followOwnership());
    daemons.onTold((message) => {
      if (message.kind === 'in_flight') this.elsewhere.set(message.daemon, message.keys, clock.monotonic());
      if (message.kind !== 'gone') return;
      const target = targets.all().find(({ id }) => id === message.target);
      // Unless an operator has changed it since.
      if (target?.updatedAt === message.updatedAt) this.disable(message.target, message.reason);
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  onListening(): void {
    this.running = true;
    void this.openQueues();
  }

  @Interval(TICK_INTERVAL_MS)
  tick(): void {
    if (!this.running) return;
    for (const queue of this.queues.values()) queue.wake([]);
    void this.looks.run();
  }

  /** What other daemons have changed may not have been announced: nothing that was read before is sent without looking again. */
  readAgain(): void {
    for (const queue of this.queues.values()) queue.readAgain();
  }

  inFlight(target: number): number {
    return (
      this.queues.get(target)?.inFlight ??
      this.elsewhere.keys(this.clock.monotonic()).filter((key) => key.target === target).length
    );
  }

  isInFlight(key: DeliveryKey): boolean {
    return this.queues.get(key.target)?.isInFlight(key) ?? this.elsewhere.has(key, this.clock.monotonic());
  }

  /** Removes a delivery from its queue. @returns false if it is already in flight */
  drop(key: DeliveryKey): boolean {
    return this.queues.get(key.target)?.drop(key) ?? true;
  }

  keysInFlight(): DeliveryKey[] {
    const elsewhere = this.elsewhere.keys(this.clock.monotonic());
    return [...this.ownKeysInFlight(), ...elsewhere.filter(({ target }) => !this.queues.has(target))];
  }

  /** Of the targets that this daemon delivers to. */
  ownKeysInFlight(): DeliveryKey[] {
    return [...this.queues.values()].flatMap((queue) => queue.keysInFlight());
  }

  /**
   * Starts no more attempts, waits a limited time for those in flight, and then aborts them: their deliveries
   * are due again at the next start.
   */
  async stop(): Promise<void> {
    this.running = false;
    const queues = [...this.queues];
    const stops = queues.map(async ([number, queue]) => {
      await queue.stop();
      await this.release(number);
    });
    const isEnded = await withTimeout(
      Promise.all(stops).then(() => true),
      STOP_TIMEOUT_MS,
      false,
    );
    if (!isEnded) this.log.warn('attempts in flight did not end in time; they are made again');
    await Promise.all(queues.map(([, queue]) => queue.close()));
    await this.sending.end();
  }

  /** Wakes queues once every change that was announced before, such as a pause, applies to them. */
  private async wakeSettled(targets: Iterable<number>, classes?: readonly DeliveryClass[]): Promise<void> {
    await this.targets.settled();
    for (const number of targets) this.queues.get(number)?.wake(classes);
  }

  private async wakeDue(): Promise<void> {
    await this.targets.settled();
    const targets = this.targets.all().filter(({ number }) => this.queues.has(number));
    for (const number of await findDue({ journal: this.journal, bounds: this.bounds }, targets))
      this.queues.get(number)?.wake();
  }

  private syncQueue(target: TargetRecord): void {
    if (!this.running) return;
    const queue = this.queues.get(target.number);
    if (this.targets.byNumber(target.number) === null) {
      this.queues.delete(target.number);
      void queue?.close();
    } else if (queue !== undefined) {
      queue.update(target);
    } else {
      void this.openQueues();
    }
  }

  private followOwnership(): void {
    if (!this.running) return;
    for (const [number, queue] of this.queues) {
      const ownership = this.daemons.ownershipOf(number);
      if (ownership === 'no') {
        this.queues.delete(number);
        void queue.close();
      } else if (ownership === 'ending') void this.endQueue(number, queue);
    }
    for (const { number } of this.targets.all())
      if (this.daemons.ownershipOf(number) === 'ending' && !this.queues.has(number))
        void this.release(number);
    void this.openQueues();
  }

  private async openQueues(): Promise<void> {
    const isNew = (number: number) => this.daemons.ownershipOf(number) === 'yes' && !this.queues.has(number);
    if (!this.targets.all().some(({ number }) => isNew(number))) return;
    try {
      if (this.daemons.isShared) await this.breakers.read(isNew);
    } catch (error) {
      // The next renewal of the lease tries again.
      return this.log.warn({ err: error }, 'breakers of targets not read');
    }
    for (const target of this.targets.all())
      if (this.running && isNew(target.number)) this.queues.set(target.number, this.openQueue(target));
  }

  /** Another daemon is to deliver to the target: it does so once nothing of it is in memory here. */
  private async endQueue(number: number, queue: TargetQueue): Promise<void> {
    await queue.stop();
    await queue.close();
    // Released already; or lost meanwhile, and taken again: then another queue sends.
    if (this.queues.get(number) !== queue) return;
    this.queues.delete(number);
    await this.release(number);
  }

  private async release(number: number): Promise<void> {
    try {
      await this.daemons.release(number);
    } catch (error) {
      this.log.warn({ err: error, target: number }, 'a target was not released yet');
    }
  }

  private openQueue(target: TargetRecord): TargetQueue {
    const { daemons, journal, guard, sending, breakers, clock, bounds, random, tracer, publicAddress, log } =
      this;
    const queue = new TargetQueue(target, {
      daemons,
      journal,
      guard,
      sending,
      breakers,
      clock,
      bounds,
      random,
      tracer,
      publicAddress,
      log,
      disable: ({ id }, reason) => this.disable(id, reason),
    });
    queue.wake();
    return queue;
  }

  private disable(id: string, reason: string): void {
    runAsSystem({ action: 'target.disable' }, () => this.targets.disable(id, reason)).catch(
      (error: unknown) => this.log.error({ err: error, target: id }, 'target not disabled'),
    );
  }
}
