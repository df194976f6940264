import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../ground/clock';
import { Leadership } from '../../ground/leadership';
import { runAsSystem } from '../../ground/audit-context';
import { deliverableEvent, type CopyEvent } from '../../database/journal/deliverable-event';
import { Journal, PRIORITY, type DeliverableEvent, type DeliveryClass } from '../../database/journal/journal';
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
import { ListenerLinks } from '../listeners/listener-links';
import { SendingThread } from '../sending/sending-thread';
import { FailingTransforms } from '../sending/failing-transforms';
import { EventTransformer } from '../../transforms/event-transformer';
import { TargetOwnership } from '../target-ownership';
import { InFlightOfOthers } from './in-flight-of-others';
import { TargetQueue } from './target-queue';
import { findDue } from './take-due';
import type { OnListening } from '../../ground/on-listening';
import { NonOverlapping } from '../../ground/non-overlapping';
import { withTimeout } from '../../ground/with-timeout';

/** How often the queues check for deliveries that have become due; new deliveries do not wait for it. */
export const TICK_INTERVAL_MS = 250;

/** How long a stop waits for attempts in flight. */
const STOP_TIMEOUT_MS = 8_000;

/**
 * Has one queue for each target that is assigned to it, and wakes it when deliveries are committed. Nothing else sends
 * deliveries. A daemon with its database to itself assigns all targets.
 */
@Injectable()
export class DispatchWorker implements OnListening {
  private readonly queues = new Map<number, TargetQueue>();
  private readonly dueReads = new NonOverlapping(
    () => this.wakeDue(),
    // The next tick tries again.
    (error) => this.log.warn({ err: error }, 'targets with due deliveries not read'),
  );
  private readonly failingTransforms = new FailingTransforms((target, reason) => this.pause(target, reason));
  private running = false;

  constructor(
    private readonly targets: TargetsService,
    private readonly leadership: Leadership,
    private readonly ownership: TargetOwnership,
    private readonly ofOthers: InFlightOfOthers,
    private readonly journal: Journal,
    private readonly guard: AddressGuard,
    private readonly sending: SendingThread,
    private readonly listeners: ListenerLinks,
    private readonly breakers: BreakerStore,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly tracer: Tracer,
    private readonly publicAddress: PublicAddress,
    private readonly transformer: EventTransformer,
    private readonly log: Log,
  ) {
    targets.onChange((target) => this.syncQueue(target));
    listeners.onChange((target) => this.queues.get(target)?.wake());
    journal.onCommit(({ events, scheduled, promoted, ended, erased }) => {
      const woken = new Set<TargetQueue>();
      const outdated = new Set<TargetQueue>();
      for (const { seq, draft, planned, maybeSent } of events) {
        // Once for all its deliveries that are kept in memory.
        let event: DeliverableEvent | undefined;
        const copyEvent: CopyEvent = () => (event ??= deliverableEvent(seq, draft));
        for (const { target, lane } of planned) {
          const queue = this.queues.get(target);
          if (queue === undefined) continue;
          if (maybeSent !== true) queue.enqueue({ seq, target, n: 0 }, lane, draft.receivedAt, copyEvent);
          (maybeSent === true ? outdated : woken).add(queue);
        }
      }
      for (const { key } of ended) this.drop(key);
      if (erased.length > 0) for (const queue of this.queues.values()) queue.forgetSuccessors();
      for (const successor of promoted) this.queues.get(successor.target)?.promote(successor);
      for (const queue of woken) queue.wake([]);
      for (const queue of outdated) queue.wake([PRIORITY.live]);
      if (scheduled.length > 0) void this.wakeSettled(new Set(scheduled.map(({ target }) => target)));
    });
    journal.onEventsFromOtherDaemon((numbers) => void this.wakeSettled(numbers, [PRIORITY.live]));
  }

  get isRunning(): boolean {
    return this.running;
  }

  onListening(): void {
    this.running = true;
    if (!this.leadership.isShared) this.open(this.targets.all().map(({ number }) => number));
  }

  @Interval(TICK_INTERVAL_MS)
  tick(): void {
    if (!this.running) return;
    for (const queue of this.queues.values()) queue.wake([]);
    void this.dueReads.run();
  }

  /** The numbers of the targets to which it delivers. */
  get opened(): number[] {
    return [...this.queues.keys()];
  }

  /** Delivers to targets from now on. */
  open(numbers: readonly number[]): void {
    for (const number of numbers) {
      const target = this.targets.byNumber(number);
      if (this.running && target !== null && !this.queues.has(number))
        this.queues.set(number, this.openQueue(target));
    }
  }

  /**
   * Starts no more attempts for a target.
   * @returns once nothing of it is in memory: whether another daemon may deliver to it; false if it was abandoned
   *   meanwhile
   */
  async release(number: number): Promise<boolean> {
    const queue = this.queues.get(number);
    if (queue === undefined) return true;
    await queue.stop();
    await queue.close();
    // If it was opened again, another queue sends.
    if (this.queues.get(number) !== queue) return false;
    return this.queues.delete(number);
  }

  /** Aborts the attempts for a target: nothing more of it can be stored. */
  abandon(number: number): void {
    const queue = this.queues.get(number);
    this.queues.delete(number);
    void queue?.close();
  }

  /** Drops what was read ahead, and reads it again: changes by other daemons may not have been announced. */
  readAgain(): void {
    for (const queue of this.queues.values()) queue.readAgain();
  }

  inFlight(target: number): number {
    return (
      this.queues.get(target)?.inFlight ?? this.ofOthers.keys().filter((key) => key.target === target).length
    );
  }

  isInFlight(key: DeliveryKey): boolean {
    return this.queues.get(key.target)?.isInFlight(key) ?? this.ofOthers.has(key);
  }

  /** Removes a delivery from its queue. @returns false if it is already in flight */
  drop(key: DeliveryKey): boolean {
    return this.queues.get(key.target)?.drop(key) ?? true;
  }

  keysInFlight(): DeliveryKey[] {
    const ofOthers = this.ofOthers.keys().filter(({ target }) => !this.queues.has(target));
    return [...this.ownKeysInFlight(), ...ofOthers];
  }

  /** Of the targets that are assigned. */
  ownKeysInFlight(): DeliveryKey[] {
    return [...this.queues.values()].flatMap((queue) => queue.keysInFlight());
  }

  /**
   * Starts no more attempts, waits a limited time for those in flight, and then aborts them: their deliveries
   * are due again at the next start.
   * @param onReleased called with each target of which nothing is in memory any more
   */
  async stop(onReleased = async (_number: number): Promise<void> => undefined): Promise<void> {
    this.running = false;
    const queues = [...this.queues];
    const stops = queues.map(async ([number, queue]) => {
      await queue.stop();
      await onReleased(number);
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
    const { number } = target;
    const queue = this.queues.get(number);
    this.failingTransforms.forget(number);
    if (!this.running) return;
    if (this.targets.byNumber(number) === null) this.abandon(number);
    else if (queue !== undefined) queue.update(target);
    else if (!this.leadership.isShared) this.open([number]);
  }

  private openQueue(target: TargetRecord): TargetQueue {
    const queue = new TargetQueue(target, {
      ownership: this.ownership,
      journal: this.journal,
      guard: this.guard,
      sending: this.sending,
      listeners: this.listeners,
      breakers: this.breakers,
      clock: this.clock,
      bounds: this.bounds,
      random: this.random,
      tracer: this.tracer,
      publicAddress: this.publicAddress,
      transformer: this.transformer,
      failingTransforms: this.failingTransforms,
      log: this.log,
      disable: ({ id }, reason) => this.disable(id, reason),
    });
    queue.wake();
    return queue;
  }

  /** Pauses a target whose expression fails, unless an operator has changed it since. */
  pause(target: Pick<TargetRecord, 'id' | 'updatedAt'>, reason: string): void {
    runAsSystem({ action: 'target.pause' }, () => this.targets.pauseUnchanged(target, reason)).catch(
      (error: unknown) => this.log.error({ err: error, target: target.id }, 'target not paused'),
    );
  }

  /** Disables a target that has responded with 410. */
  disable(id: string, reason: string): void {
    runAsSystem({ action: 'target.disable' }, () => this.targets.disable(id, reason)).catch(
      (error: unknown) => this.log.error({ err: error, target: id }, 'target not disabled'),
    );
  }
}
