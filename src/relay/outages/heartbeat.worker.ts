import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { upsert } from '../database/journal/statements';
import { FORGET_DEALS } from '../events/entities/known-deals';
import { Log } from '../ground/log';
import { ExpectedTraffic } from './expected-traffic';
import { outageSince, readLastUse, type LastUse } from './last-use';
import { OutageStore } from './outage.store';
import { TrafficBaseline } from './traffic-baseline';
import type { OnListening } from '../ground/on-listening';
import { Signal } from '../ground/signal';
import { SerialQueue } from '../ground/serial-queue';

/**
 * The start of an outage is known to within this time if the process was killed; after a graceful stop it is exact.
 * On an idle disk each heartbeat is a commit of its own, with four syncs including the checkpoint, so a shorter
 * interval would cost more. Under load it is part of a group that is written anyway.
 */
const INTERVAL_MS = 10_000;

/**
 * Stores a heartbeat at regular intervals, and records an outage for each gap between two that is longer than Co-Pilot
 * retries: the daemon was stopped or killed, the machine was suspended, or the disk failed. If the clock was set back,
 * the gap is negative and ignored. The first one after a restore records the outage since the backup.
 */
@Injectable()
export class HeartbeatWorker implements OnListening, OnApplicationBootstrap, OnModuleInit, OnModuleDestroy {
  private last: LastUse = { heartbeat: null, restore: null };
  private readonly queue = new SerialQueue();
  private started = false;
  private readonly resumptions = new Signal();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly expectedTraffic: ExpectedTraffic,
    private readonly baseline: TrafficBaseline,
    private readonly outages: OutageStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    // From this moment on a gap counts, or no longer counts.
    expectedTraffic.onChange(() => void this.tick());
  }

  async onModuleInit(): Promise<void> {
    this.last = await readLastUse(this.source);
  }

  /** The outage since the previous process ends before anything is received, so that its gap event comes first. */
  async onApplicationBootstrap(): Promise<void> {
    if (outageSince(this.last, this.clock.now()) === null) return;
    await this.run(() => this.beat(this.last.heartbeat?.expecting ?? false));
  }

  onListening(): void {
    this.started = true;
    void this.tick();
  }

  /** Calls `listener` when notifications are expected and can arrive, after a time in which that was not so. */
  onResumed(listener: () => void): void {
    this.resumptions.subscribe(listener);
  }

  @Interval(INTERVAL_MS)
  tick(): Promise<void> {
    return this.started ? this.run(() => this.record()) : Promise.resolve();
  }

  /** What fails is retried by the next tick. */
  private run(work: () => Promise<void>): Promise<void> {
    return this.queue
      .run(work)
      .catch((error: unknown) => this.log.error({ err: error }, 'heartbeat not written'));
  }

  /** Runs before the server closes, so that the time of a graceful stop is stored exactly. */
  async onModuleDestroy(): Promise<void> {
    await this.tick();
    this.started = false;
  }

  private async record(): Promise<void> {
    const { heartbeat: before, restore } = this.last;
    const expecting = this.expectedTraffic.current;
    // While no notifications are expected, none can be missed, so no heartbeat is needed.
    if (expecting || before?.expecting !== false || restore !== null) await this.beat(expecting);
    await this.outages.publish();
  }

  private async beat(expecting: boolean): Promise<void> {
    const now = this.clock.now();
    const before = this.last;
    const outage = outageSince(before, now);
    const { statements, saved } = this.baseline.takeUnsaved();
    await this.journal.change({
      statements: [
        upsert('heartbeat', 'id', { id: 1, at: now, expecting }),
        ...statements,
        ...(expecting === before.heartbeat?.expecting ? [] : [FORGET_DEALS]),
        ...(outage === null ? [] : await this.outages.add(outage)),
      ],
    });
    saved();
    this.last = { heartbeat: { at: now, expecting }, restore: null };
    if (outage !== null || before.heartbeat?.expecting !== true) this.resumptions.emit();
  }
}
