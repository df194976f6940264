import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ATTEMPT_DELAYS_SECONDS } from '../../protocol/limits';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Log } from '../ground/log';
import { Expectation } from './expected-traffic';
import { Outages } from './outages';
import { Rhythm } from './traffic-baseline';

/**
 * On an idle disk each beat is a commit of its own: four syncs, its checkpoint included, and two pages, measured. Under load
 * it goes into a group that is written anyway. Twice as often would tell the moment of a kill five seconds more exactly, for
 * twice the syncs; a graceful stop is exact without.
 */
const BEAT_EVERY_MS = 10_000;

/**
 * The last attempt at a notification comes so long after the first, by the shortest reading of the document (6.3, delays
 * that count from the first attempt). Whoever is away for less misses nothing.
 */
const RETRY_REACH_MS = ATTEMPT_DELAYS_SECONDS.at(-1)! * 1_000;

interface Beat {
  /** Ms since 1970. */
  at: number;
  /** Whether something could have arrived from then on. */
  expecting: boolean;
}

/**
 * Records when we were last able to store something, and keeps each gap between two records that is longer than Co-Pilot
 * tries again: the daemon was stopped or killed, the machine slept, the disk took nothing. A clock that was set back leaves
 * a gap below zero, which is none.
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
    private readonly expectation: Expectation,
    private readonly rhythm: Rhythm,
    private readonly outages: Outages,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    // From the moment on from which something can arrive, a window counts.
    expectation.onChange(() => void this.tick());
  }

  async onModuleInit(): Promise<void> {
    const [row] = await this.source.query<{ at: number; expecting: number }[]>(
      'SELECT at, expecting FROM heartbeat',
    );
    if (row !== undefined) this.last = { at: row.at, expecting: row.expecting === 1 };
  }

  /** To be called once the daemon listens: there the window since the last beat ends. */
  start(): void {
    this.started = true;
    void this.tick();
  }

  /** Told when notifications can come in again after a time in which they could not, or were not to. */
  onAnew(listener: () => void): void {
    this.listeners.push(listener);
  }

  @Interval(BEAT_EVERY_MS)
  tick(): Promise<void> {
    if (!this.started) return Promise.resolve();
    this.beating = this.beating
      .then(() => this.beat())
      .catch((error: unknown) => this.log.error({ err: error }, 'heartbeat not written'));
    return this.beating;
  }

  /** Ahead of the server's closing: the moment of a graceful stop is exact. */
  async onModuleDestroy(): Promise<void> {
    await this.tick();
    this.started = false;
  }

  private async beat(): Promise<void> {
    const now = this.clock.now();
    const before = this.last;
    const expecting = this.expectation.current;
    // While nothing can arrive, nothing can be missed: the disk is left alone.
    if (!expecting && before?.expecting === false) return this.outages.tell();
    const missed = before !== null && before.expecting && now - before.at > RETRY_REACH_MS;
    const { statements, saved } = this.rhythm.save();
    await this.journal.change([
      ['INSERT OR REPLACE INTO heartbeat(id, at, expecting) VALUES (1, ?, ?)', [now, expecting ? 1 : 0]],
      ...statements,
      ...(missed
        ? this.outages.insertion({
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
    await this.outages.tell();
  }
}
