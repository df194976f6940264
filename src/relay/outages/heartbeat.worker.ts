import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import { Clock } from '../ground/clock';
import {
  parseRestores,
  SELECT_INSTANCE,
  type InstanceRecord,
  type Restore,
} from '../database/journal/instance-record';
import { Journal } from '../database/journal/journal';
import { upsert } from '../database/journal/statements';
import { Log } from '../ground/log';
import { ExpectedTraffic } from './expected-traffic';
import { OutageStore, type OutageDraft } from './outage.store';
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
 * The time between Co-Pilot's first and last attempt, if its delays are counted from the first attempt: the shortest
 * interpretation of the document (6.3). In a shorter downtime no event is missed.
 */
const RETRY_WINDOW_MS = ATTEMPT_DELAYS_SECONDS.at(-1)! * 1_000;

interface Heartbeat {
  /** Ms since 1970. */
  at: number;
  expecting: boolean;
}

/**
 * Stores a heartbeat at regular intervals, and records an outage for each gap between two that is longer than Co-Pilot
 * retries: the daemon was stopped or killed, the machine was suspended, or the disk failed. If the clock was set back,
 * the gap is negative and ignored. The first one after a restore records the outage since the backup.
 */
@Injectable()
export class HeartbeatWorker implements OnListening, OnModuleInit, OnModuleDestroy {
  private last: Heartbeat | null = null;
  /** The restore that this database was not used since. */
  private restore: Restore | null = null;
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
    const [row] = await this.source.query<{ at: number; expecting: number }[]>(
      'SELECT at, expecting FROM heartbeat',
    );
    if (row !== undefined) this.last = { at: row.at, expecting: row.expecting === 1 };
    const [instance] = await this.source.query<InstanceRecord[]>(SELECT_INSTANCE);
    const restore = parseRestores(instance!).at(-1);
    if (restore !== undefined && (row?.at ?? 0) <= restore.backup_at) this.restore = restore;
  }

  /** The downtime since the last heartbeat of the previous process ends now. */
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
    if (!this.started) return Promise.resolve();
    return this.queue
      .run(() => this.record())
      .catch((error: unknown) => this.log.error({ err: error }, 'heartbeat not written'));
  }

  /** Runs before the server closes, so that the time of a graceful stop is stored exactly. */
  async onModuleDestroy(): Promise<void> {
    await this.tick();
    this.started = false;
  }

  private async record(): Promise<void> {
    const now = this.clock.now();
    const before = this.last;
    const expecting = this.expectedTraffic.current;
    // While no notifications are expected, none can be missed, so no heartbeat is needed.
    if (!expecting && before?.expecting === false && this.restore === null) return this.outages.publish();
    const outage = this.outageUntil(now);
    const { statements, saved } = this.baseline.takeUnsaved();
    await this.journal.change({
      statements: [
        upsert('heartbeat', 'id', { id: 1, at: now, expecting }),
        ...statements,
        ...(outage === null ? [] : this.outages.insertStatements(outage)),
      ],
    });
    saved();
    this.last = { at: now, expecting };
    this.restore = null;
    if (outage !== null || before?.expecting !== true) this.resumptions.emit();
    await this.outages.publish();
  }

  /** The outage that ends now; null if nothing can have been missed since the last heartbeat. */
  private outageUntil(now: number): OutageDraft | null {
    const ended = { ended_at: now, usual_seconds: null };
    if (this.restore !== null) return { kind: 'restore', began_at: this.restore.backup_at, ...ended };
    if (this.last === null || !this.last.expecting || now - this.last.at <= RETRY_WINDOW_MS) return null;
    return { kind: 'downtime', began_at: this.last.at, ...ended };
  }
}
