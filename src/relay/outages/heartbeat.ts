import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Log } from '../ground/log';
import { ExpectedTraffic } from './expected-traffic';
import { Outages } from './outages';
import { TrafficBaseline } from './traffic-baseline';

/**
 * On an idle disk each heartbeat is a separate commit: four syncs including the checkpoint, and two pages,
 * measured. Under load it joins a group that is written anyway. Twice the rate would date a kill five
 * seconds more precisely, for twice the syncs; a graceful stop is exact anyway.
 */
const INTERVAL_MS = 10_000;

/**
 * How long after the first attempt the last one comes, by the shortest reading of the document (6.3, delays
 * counted from the first attempt). A shorter downtime misses nothing.
 */
const RETRY_WINDOW_MS = ATTEMPT_DELAYS_SECONDS.at(-1)! * 1_000;

interface Beat {
  /** Ms since 1970. */
  at: number;
  /** Whether notifications were expected from then on. */
  expecting: boolean;
}

/**
 * Records when we were last able to store something, and turns each gap longer than Co-Pilot retries into
 * an outage: the daemon was stopped or killed, the machine was suspended, the disk failed. A clock that was
 * set back yields a negative gap, which is ignored.
 */
@Injectable()
export class Heartbeat implements OnModuleInit, OnModuleDestroy {
  private last: Beat | null = null;
  private beating: Promise<void> = Promise.resolve();
  private started = false;
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly expectedTraffic: ExpectedTraffic,
    private readonly baseline: TrafficBaseline,
    private readonly outages: Outages,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    // The window starts as soon as notifications are expected.
    expectedTraffic.onChange(() => void this.tick());
  }

  async onModuleInit(): Promise<void> {
    const [row] = await this.source.query<{ at: number; expecting: number }[]>(
      'SELECT at, expecting FROM heartbeat',
    );
    if (row !== undefined) this.last = { at: row.at, expecting: row.expecting === 1 };
  }

  /** Called once the daemon listens: the window since the last heartbeat ends here. */
  start(): void {
    this.started = true;
    void this.tick();
  }

  /**
   * Called when notifications can arrive again after a time in which they could not, or were not expected.
   */
  onResumed(listener: () => void): void {
    this.listeners.push(listener);
  }

  @Interval(INTERVAL_MS)
  tick(): Promise<void> {
    if (!this.started) return Promise.resolve();
    this.beating = this.beating
      .then(() => this.beat())
      .catch((error: unknown) => this.log.error({ err: error }, 'heartbeat not written'));
    return this.beating;
  }

  /** Runs before the server closes: the time of a graceful stop is exact. */
  async onModuleDestroy(): Promise<void> {
    await this.tick();
    this.started = false;
  }

  private async beat(): Promise<void> {
    const now = this.clock.now();
    const before = this.last;
    const expecting = this.expectedTraffic.current;
    // While nothing is expected, nothing can be missed: nothing is written.
    if (!expecting && before?.expecting === false) return this.outages.publish();
    const missed = before !== null && before.expecting && now - before.at > RETRY_WINDOW_MS;
    const { statements, saved } = this.baseline.takeUnsaved();
    await this.journal.change([
      ['INSERT OR REPLACE INTO heartbeat(id, at, expecting) VALUES (1, ?, ?)', [now, expecting ? 1 : 0]],
      ...statements,
      ...(missed
        ? this.outages.insertStatements({
            kind: 'downtime',
            began_at: before.at,
            ended_at: now,
            usual_seconds: null,
          })
        : []),
    ]);
    saved();
    this.last = { at: now, expecting };
    if (missed || before?.expecting !== true) for (const listener of this.listeners) listener();
    await this.outages.publish();
  }
}
