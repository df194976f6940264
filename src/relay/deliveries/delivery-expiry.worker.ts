import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { AttemptError } from '../../contract/delivery';
import { Clock } from '../ground/clock';
import { Leadership } from '../ground/leadership';
import { Journal, type EndDraft } from '../database/journal/journal';
import { parseClockRow, SELECT_CLOCK, type ClockRow } from '../database/journal/clock-record';
import { Reader } from '../database/reading/reader';
import type { DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { runEach } from '../ground/run-each';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { DispatchWorker } from './queue/dispatch.worker';
import { TargetOwnership } from './target-ownership';
import { describeEnding, endedLimit, endingOf } from './ending';
import { withIndex } from '../database/reading/dialect';
import { olderThan } from '../database/journal/older-than';

const TICK_MS = 1_000;

/** Deliveries ended per step. Small, since a notification may wait for the transaction of a step. */
const STEP_SIZE = 100;

const selectQueued = (
  isOld: string,
) => `SELECT event_seq AS seq, target_id AS target, n, created_at AS "createdAt", last_status AS status, last_error AS error
  FROM ${withIndex('deliveries', 'deliveries_queued')}
  WHERE target_id = ? AND finished_at IS NULL AND state <> 'dead' AND event_seq <= ? AND ${isOld} ORDER BY created_at LIMIT ?`;

interface QueuedRow extends DeliveryKey {
  createdAt: number;
  status: number | null;
  error: AttemptError | null;
}

/**
 * Ends queued deliveries that are past their lifetime or whose target was disabled after a 410. They become dead
 * letters, even while the target is paused, its circuit breaker is open, or they wait in a lane. Attempts in flight
 * complete first.
 */
@Injectable()
export class DeliveryExpiryWorker implements OnModuleDestroy {
  private readonly runs = new NonOverlapping(
    () => this.run(),
    (error) => this.log.error({ err: error }, 'expired deliveries could not be ended'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly dispatcher: DispatchWorker,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly leadership: Leadership,
    private readonly ownership: TargetOwnership,
    private readonly log: Log,
  ) {
    targets.onChange(({ disabled }) => {
      if (disabled !== null) void this.runs.run();
    });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.runs.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.runs.stop();
  }

  private async run(): Promise<void> {
    if (!this.leadership.leads) await this.learn();
    const targets = this.targets.all().filter(({ number }) => this.ownership.delivers(number));
    await runEach(targets, (target) => this.endAll(target));
  }

  /** The leader knows how far the clocks were behind that have stored events. */
  private async learn(): Promise<void> {
    const [row] = await this.reader.all<ClockRow>([SELECT_CLOCK, []]);
    const record = parseClockRow(row);
    if (record !== null) this.bounds.learn(record);
  }

  private async endAll(target: TargetRecord): Promise<void> {
    let ended = 0;
    for (let step = 1; step > 0 && !this.runs.isStopped; ended += step) step = await this.endSome(target);
    if (ended > 0) this.log.info({ target: target.id, ended }, 'expired deliveries ended');
  }

  /** @returns the number of deliveries ended, which is 0 if there are no more or their attempts are in flight */
  private async endSome(target: TargetRecord): Promise<number> {
    const isOld = olderThan('created_at', endedLimit(target, this.bounds));
    const through = target.disabled === null ? this.bounds.checkedThrough : Number.MAX_SAFE_INTEGER;
    const rows = await this.reader.all<QueuedRow>([
      selectQueued(isOld.sql),
      [target.number, through, ...isOld.parameters, STEP_SIZE],
    ]);
    const at = this.clock.now();
    const drafts = rows
      .map(({ seq, n, ...row }) => ({ key: { seq, target: target.number, n }, ...row }))
      .filter(({ key }) => this.dispatcher.drop(key))
      .map(({ key, createdAt, ...last }): EndDraft => {
        const ending = endingOf(createdAt, target, this.bounds) ?? 'expired';
        const note = describeEnding(ending, last, target);
        const blocksLane = target.policy.on_dead === 'stop';
        return { key, note, at, asDeadLetter: { ending, blocksLane } };
      });
    if (drafts.length === 0) return 0;
    const { ended } = await this.journal.change({ end: drafts, asOwnerOf: target.number });
    return ended.filter((previousState) => previousState !== null).length;
  }
}
