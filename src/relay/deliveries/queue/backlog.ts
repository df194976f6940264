import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { Leadership } from '../../ground/leadership';
import { Log } from '../../ground/log';
import { NonOverlapping } from '../../ground/non-overlapping';
import { TimeBounds } from '../../ground/time-bounds';
import { Journal } from '../../database/journal/journal';
import { Reader } from '../../database/reading/reader';
import { TargetsService } from '../../targets/targets.service';
import { withIndex } from '../../database/reading/dialect';

const OLDEST_QUEUED = `SELECT min(created_at) AS at FROM ${withIndex('deliveries', 'deliveries_queued')}
  WHERE target_id = ? AND finished_at IS NULL AND state <> 'dead'`;

const READ_DEAD_EVERY_MS = 5_000;
const MINUTE_MS = 60_000;
const MINUTES = 60;
/** A queue that was longer after each of these whole minutes grows. */
const GROWING_MINUTES = 3;

/**
 * The number of queued deliveries per target, which is counted at startup and then updated with each commit, and the
 * number of dead letters, which the database maintains.
 */
@Injectable()
export class Backlog implements OnModuleInit {
  private readonly queuedByTarget = new Map<number, number>();
  private readonly deadByTarget = new Map<number, number>();
  /** By minute of `TimeBounds.latest`: the queued ones at its end, of the latest minutes with a commit, oldest first. */
  private readonly byMinute = new Map<number, ReadonlyMap<number, number>>();
  /** That of the latest commit. */
  private minute: number | null = null;
  private readonly reads = new NonOverlapping(
    () => this.readDead(),
    (error) => this.log.warn({ err: error }, 'dead letters not counted'),
  );
  /** The newest event whose deliveries were counted at startup; another daemon may have stored it since. */
  countedThrough = 0;

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly targets: TargetsService,
    private readonly journal: Journal,
    private readonly leadership: Leadership,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {
    targets.onChange(({ number }) => {
      if (targets.byNumber(number) === null) this.queuedByTarget.delete(number);
    });
    journal.onCommit(({ events, scheduled, results, ended, deadLetters }) => {
      this.endMinute();
      for (const { seq, planned } of events)
        if (seq > this.countedThrough) for (const { target } of planned) this.add(target, 1);
      for (const { target } of scheduled) this.add(target, 1);
      for (const { key, state } of results) if (state !== 'retrying') this.add(key.target, -1);
      for (const { key, previousState } of ended) if (previousState !== 'dead') this.add(key.target, -1);
      for (const [target, count] of deadLetters) this.deadByTarget.set(target, count);
    });
  }

  async onModuleInit(): Promise<void> {
    // Nobody asks a daemon that does not lead, and to count a large backlog takes seconds.
    if (!this.leadership.leads) return;
    const { targets, newest } = await this.journal.countQueued();
    for (const { target, queued } of targets) this.queuedByTarget.set(target, queued);
    this.countedThrough = newest;
    this.endMinute();
    await this.readDead();
  }

  /** Several daemons change the same counts, and what they announce need not arrive in the order of their commits. */
  @Interval(READ_DEAD_EVERY_MS)
  tick(): Promise<void> {
    return this.leadership.isShared ? this.reads.run() : Promise.resolve();
  }

  private async readDead(): Promise<void> {
    const dead = await this.source.query<{ target: number; count: number }[]>(
      'SELECT target, count FROM dead_letter_counts',
    );
    for (const { target, count } of dead) this.deadByTarget.set(target, count);
  }

  /** The result of another daemon may be known before its event, whose deliveries are then counted in a moment. */
  queued(target: number): number {
    return Math.max(0, this.queuedByTarget.get(target) ?? 0);
  }

  /** What was queued at the end of a minute of `TimeBounds.latest`, or is now; null before the start. */
  queuedAtEnd(target: number, minute: number): number | null {
    if (this.minute !== null && minute >= this.minute) return this.queued(target);
    const last = [...this.byMinute.keys()].findLast((one) => one <= minute);
    return last === undefined ? null : Math.max(0, this.byMinute.get(last)!.get(target) ?? 0);
  }

  /** Whether it grew in each of the latest whole minutes, so that it is not known when it will be empty. */
  isGrowing(target: number): boolean {
    const current = Math.floor(this.bounds.latest() / MINUTE_MS);
    const ends = Array.from({ length: GROWING_MINUTES + 1 }, (_, ago) =>
      this.queuedAtEnd(target, current - 1 - ago),
    );
    return ends.every((queued, ago) => queued !== null && (ago === 0 || queued < ends[ago - 1]!));
  }

  get queuedTotal(): number {
    return [...this.queuedByTarget.keys()].reduce((sum, target) => sum + this.queued(target), 0);
  }

  /** The number of dead letters of a target. */
  dead(target: number): number {
    return this.deadByTarget.get(target) ?? 0;
  }

  /** Dead letters of removed targets are not counted: they can no longer be retried. */
  get deadTotal(): number {
    return this.targets.all().reduce((sum, { number }) => sum + this.dead(number), 0);
  }

  /** When the oldest queued delivery of the targets was created, in ms since 1970; null without one, and no read. */
  async oldestAt(targets: readonly number[]): Promise<number | null> {
    const found = await Promise.all(
      targets
        .filter((target) => this.queued(target) > 0)
        .map((target) => this.reader.all<{ at: number | null }>([OLDEST_QUEUED, [target]])),
    );
    const times = found.flat().flatMap(({ at }) => at ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Before the first change of another minute. */
  private endMinute(): void {
    const minute = Math.floor(this.bounds.latest() / MINUTE_MS);
    if (minute === this.minute) return;
    if (this.minute !== null) this.byMinute.set(this.minute, new Map(this.queuedByTarget));
    this.minute = minute;
    if (this.byMinute.size > MINUTES) this.byMinute.delete(this.byMinute.keys().next().value!);
  }

  private add(target: number, count: number): void {
    // The queued deliveries of a removed target were cancelled with it.
    if (this.targets.byNumber(target) !== null)
      this.queuedByTarget.set(target, (this.queuedByTarget.get(target) ?? 0) + count);
  }
}
