import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../ground/clock';
import { runAsSystem } from '../../ground/audit-context';
import { Journal } from '../../database/journal';
import type { DeliveryKey } from '../../ground/ids';
import { Log } from '../../ground/log';
import { Random } from '../../ground/random';
import { TimeBounds } from '../../ground/time-bounds';
import { AddressGuard } from '../../targets/address-guard';
import type { TargetRecord } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { Breakers } from '../sending/breakers';
import { CLASSES } from './ready-deliveries';
import { TargetQueue } from './target-queue';

/** How often the queues check for deliveries that have become due; new deliveries do not wait for it. */
const TICK_INTERVAL_MS = 250;

/** Retries become due with time alone: the tick finds them. */
const LIVE = [0] as const;

/** How long a stop waits for attempts in flight. */
const STOP_TIMEOUT_MS = 8_000;

/** Keeps a queue per target and wakes it when deliveries are committed. Nothing else sends deliveries. */
@Injectable()
export class Dispatcher {
  private readonly queues = new Map<number, TargetQueue>();
  private running = false;

  constructor(
    private readonly targets: TargetsService,
    private readonly journal: Journal,
    private readonly guard: AddressGuard,
    private readonly breakers: Breakers,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {
    targets.onChange((target) => this.syncQueue(target));
    journal.onCommit(({ events, scheduled, promoted, concluded }) => {
      for (const { key } of concluded) this.drop(key);
      for (const one of promoted) this.queues.get(one.target)?.promote(one);
      const woken = new Set([
        ...events.flatMap((event) => event.targets),
        ...scheduled.map(({ target }) => target),
      ]);
      const classes = scheduled.length > 0 ? CLASSES : LIVE;
      for (const number of woken) this.queues.get(number)?.wake(classes);
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
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

  /** Reads nothing more, waits for attempts in flight up to a limit, and aborts the rest: they are due again at the next start. */
  async stop(): Promise<void> {
    this.running = false;
    const queues = [...this.queues.values()];
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.all(queues.map((queue) => queue.stop())), limit]);
    clearTimeout(timer);
    await Promise.all(queues.map((queue) => queue.close()));
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
    const { journal, guard, breakers, clock, bounds, random, log } = this;
    const disable = ({ id }: TargetRecord, reason: string) => {
      runAsSystem({ action: 'target.disable' }, () => this.targets.disable(id, reason)).catch(
        (error: unknown) => log.error({ err: error, target: id }, 'target not disabled'),
      );
    };
    const queue = new TargetQueue(target, { journal, guard, breakers, clock, bounds, random, log, disable });
    queue.wake();
    return queue;
  }
}
