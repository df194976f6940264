import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { AttemptError } from '../../contract/delivery';
import { Clock } from '../ground/clock';
import { Journal, type ConcludeDraft } from '../database/journal';
import { Reader } from '../database/reader';
import type { DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { describeEnding } from './describe-ending';
import { Dispatcher } from './queue/dispatcher';
import { endedThrough, endingOf } from './ending-of';

const TICK_MS = 1_000;

/** So many end in one transaction, which notifications share. */
const STEP = 100;

const OPEN = `SELECT event_seq AS seq, target_id AS target, n, created_at AS createdAt, last_status AS status, last_error AS error
  FROM deliveries INDEXED BY deliveries_open
  WHERE target_id = ? AND settled_at IS NULL AND state <> 'dead' AND created_at <= ? ORDER BY created_at LIMIT ?`;

interface OpenRow extends DeliveryKey {
  createdAt: number;
  status: number | null;
  error: AttemptError | null;
}

/**
 * Makes dead letters of what is open and gets no further attempt, since it is too old or its target is gone, whatever holds
 * it up: a pause, an open breaker, its lane. What is on its way has its outcome first.
 */
@Injectable()
export class EndDeliveries implements OnModuleDestroy {
  private readonly runs = new NonOverlapping(
    () => this.run(),
    (error) => this.log.error({ err: error }, 'deliveries not ended'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly dispatcher: Dispatcher,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
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
    for (const target of this.targets.all()) await this.endAll(target);
  }

  private async endAll(target: TargetRecord): Promise<void> {
    let ended = 0;
    for (let step = 1; step > 0 && !this.runs.isStopped; ended += step) step = await this.endSome(target);
    if (ended > 0) this.log.info({ target: target.id, ended }, 'deliveries ended');
  }

  /** @returns how many; 0 too where all that are left are on their way, or wait for one that is */
  private async endSome(target: TargetRecord): Promise<number> {
    const earliest = this.bounds.earliest();
    const rows = await this.reader.all<OpenRow>([
      OPEN,
      [target.number, endedThrough(target, earliest), STEP],
    ]);
    const at = this.clock.now();
    const drafts = rows
      .map(({ seq, n, ...row }) => ({ key: { seq, target: target.number, n }, ...row }))
      .filter(({ key }) => this.dispatcher.drop(key))
      .map(({ key, createdAt, ...last }): ConcludeDraft => {
        const ending = endingOf(createdAt, target, earliest)!;
        const note = describeEnding(ending, last, target);
        const stopsLane = target.policy.on_dead === 'stop';
        return { key, note, at, dead: { ending, stopsLane } };
      });
    if (drafts.length === 0) return 0;
    const { concluded } = await this.journal.change([], [], drafts);
    return concluded.filter((was) => was !== null).length;
  }
}
