import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../ground/clock';
import { Daemons } from '../../ground/daemons';
import { runAsSystem } from '../../ground/audit-context';
import { Journal, PRIORITY } from '../../database/journal';
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
import { TargetQueue } from './target-queue';
import type { OnListening } from '../../ground/on-listening';
import { withTimeout } from '../../ground/with-timeout';

/** How often the queues look for deliveries that have become due; new deliveries do not wait for it. */
const TICK_INTERVAL_MS = 250;

/** How long a stop waits for attempts in flight. */
const STOP_TIMEOUT_MS = 8_000;

/** Has one queue per target and wakes it when deliveries are committed. Nothing else sends deliveries. */
@Injectable()
export class DispatchWorker implements OnListening {
  private readonly queues = new Map<number, TargetQueue>();
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
    journal.onCommit(({ events, scheduled, promoted, ended }) => {
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
      for (const target of new Set(scheduled.map((delivery) => delivery.target)))
        this.queues.get(target)?.wake();
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  onListening(): void {
    this.running = true;
    for (const target of this.targets.all()) this.syncQueue(target);
  }

  @Interval(TICK_INTERVAL_MS)
  tick(): void {
    if (this.running) for (const queue of this.queues.values()) queue.wake();
  }

  inFlight(target: number): number {
    return this.queues.get(target)?.inFlight ?? 0;
  }

  isInFlight(key: DeliveryKey): boolean {
    return this.queues.get(key.target)?.isInFlight(key) ?? false;
  }

  /** Removes a delivery from its queue. @returns false if it is already in flight */
  drop(key: DeliveryKey): boolean {
    return this.queues.get(key.target)?.drop(key) ?? true;
  }

  keysInFlight(): DeliveryKey[] {
    return [...this.queues.values()].flatMap((queue) => queue.keysInFlight());
  }

  /**
   * Starts no more attempts, waits a limited time for those in flight, and then aborts them: their deliveries
   * are due again at the next start.
   */
  async stop(): Promise<void> {
    this.running = false;
    const queues = [...this.queues.values()];
    await withTimeout(Promise.all(queues.map((queue) => queue.stop())), STOP_TIMEOUT_MS, undefined);
    await Promise.all(queues.map((queue) => queue.close()));
    await this.sending.end();
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
      this.queues.set(target.number, this.openQueue(target));
    }
  }

  private openQueue(target: TargetRecord): TargetQueue {
    const { daemons, journal, guard, sending, breakers, clock, bounds, random, tracer, publicAddress, log } =
      this;
    const disable = ({ id }: TargetRecord, reason: string) => {
      runAsSystem({ action: 'target.disable' }, () => this.targets.disable(id, reason)).catch(
        (error: unknown) => log.error({ err: error, target: id }, 'target not disabled'),
      );
    };
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
      disable,
    });
    queue.wake();
    return queue;
  }
}
