import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { upsert } from '../database/statements';
import { Log } from '../ground/log';
import { ExpectedTraffic } from './expected-traffic';
import { OutageStore } from './outage.store';
import { TrafficBaseline } from './traffic-baseline';
import type { OnListening } from '../ground/on-listening';
import { Signal } from '../ground/signal';
import { SerialQueue } from '../ground/serial-queue';

/**
 * The start of an outage is known to within this time if the process was killed; after a graceful stop it is
 * exact. On an idle disk each heartbeat is a commit of its own, with four syncs including the checkpoint, so a
 * shorter interval would cost more. Under load it is part of a group that is written anyway.
 */
const INTERVAL_MS = 10_000;

/**
 * The time between Co-Pilot's first and last attempt, if its delays are counted from the first attempt: the
 * shortest interpretation of the document (6.3). In a shorter downtime no event is missed.
 */
const RETRY_WINDOW_MS = ATTEMPT_DELAYS_SECONDS.at(-1)! * 1_000;

interface Heartbeat {
  /** Ms since 1970. */
  at: number;
  /** Whether notifications were expected at that time. */
  expecting: boolean;
}

/**
 * Stores a heartbeat at regular intervals, and records an outage for each gap between two heartbeats that is
 * longer than Co-Pilot retries: the daemon was stopped or killed, the machine was suspended, or the disk
 * failed. If the clock was set back, the gap is negative and ignored.
 */
@Injectable()
export class HeartbeatWorker implements OnListening, OnModuleInit, OnModuleDestroy {
  private last: Heartbeat | null = null;
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
  }

  /** The downtime since the last heartbeat of the previous process ends now. */
  onListening(): void {
    this.started = true;
    void this.tick();
  }

  /**
   * Calls `listener` when notifications are expected and can arrive again, after a time in which either was
   * not the case.
   */
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
    if (!expecting && before?.expecting === false) return this.outages.publish();
    const missed = before !== null && before.expecting && now - before.at > RETRY_WINDOW_MS;
    const { statements, saved } = this.baseline.takeUnsaved();
    await this.journal.change({
      statements: [
        upsert('heartbeat', 'id', { id: 1, at: now, expecting }),
        ...statements,
        ...(missed
          ? this.outages.insertStatements({
              kind: 'downtime',
              began_at: before.at,
              ended_at: now,
              usual_seconds: null,
            })
          : []),
      ],
    });
    saved();
    this.last = { at: now, expecting };
    if (missed || before?.expecting !== true) this.resumptions.emit();
    await this.outages.publish();
  }
}
