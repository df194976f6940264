import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DEFAULT_PAUSE_REASON } from '../../contract/constants';
import type { TargetPause } from '../../contract/target-pause';
import { runAsSystem, runAuditedParts } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { RelayError } from '../ground/relay-error';
import { runEach } from '../ground/run-each';
import { SerialQueue } from '../ground/serial-queue';
import { TimeBounds } from '../ground/time-bounds';
import { isForAlerts } from './match-event';
import type { TargetRecord } from './target-record';
import { TargetsService } from './targets.service';

const TICK_MS = 1_000;

/** Pauses and resumes targets, and resumes those whose pause is over. */
@Injectable()
export class TargetPausesWorker implements OnModuleDestroy {
  private readonly queue = new SerialQueue();
  private readonly resuming = new NonOverlapping(
    () => this.queue.run(() => this.resumeDue()),
    (error) => this.log.error({ err: error }, 'targets not resumed at the end of their pause'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /**
   * Pauses targets; without `ids` all but those for alerts, so that operators are still informed, and but those that
   * somebody has paused for a reason of their own. A paused one of `ids` keeps its pause, with the given fields changed.
   * @returns the targets that were changed
   * @throws RelayError `target_unknown`, 404; `pause_already_over`, 422. Then none is paused.
   */
  pause(ids: readonly string[] | undefined, wanted: TargetPause): Promise<TargetRecord[]> {
    return this.queue.run(async () => {
      const at = this.clock.now();
      const { reason } = wanted;
      if (typeof wanted.until === 'number' && wanted.until <= at) throw alreadyOver();
      const until = typeof wanted.until === 'number' ? this.bounds.fromWallClock(wanted.until) : wanted.until;
      const records =
        ids === undefined
          ? this.targets.all().filter(({ events, paused }) => paused === null && !isForAlerts(events))
          : this.chosen(ids);
      return this.setPaused(
        records.flatMap((record) => {
          const before = record.paused ?? { at, reason: DEFAULT_PAUSE_REASON, until: null };
          const paused = { at: before.at, reason: reason ?? before.reason, until: until ?? null };
          if (until === undefined) paused.until = before.until;
          const fields = (['reason', 'until'] as const).filter((field) => paused[field] !== before[field]);
          return record.paused !== null && fields.length === 0 ? [] : [{ record, paused, fields }];
        }),
      );
    });
  }

  /**
   * Resumes targets, all without `ids`.
   * @returns those that were paused
   * @throws RelayError `target_unknown`, 404. Then none is resumed.
   */
  resume(ids: readonly string[] | undefined): Promise<TargetRecord[]> {
    return this.queue.run(async () => {
      const paused = this.chosen(ids).filter((record) => record.paused !== null);
      return this.setPaused(paused.map((record) => ({ record, paused: null, fields: [] })));
    });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.resuming.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.resuming.stop();
  }

  private async resumeDue(): Promise<void> {
    const now = this.bounds.latest();
    const due = this.targets.all().filter(({ paused }) => (paused?.until ?? Infinity) <= now);
    await runEach(due, (subject) =>
      runAsSystem({ action: 'target.resume', subject }, () => this.targets.setPaused(subject.id, null)),
    );
  }

  private chosen(ids: readonly string[] | undefined): readonly TargetRecord[] {
    return ids?.map((id) => this.targets.byId(id)) ?? this.targets.all();
  }

  /** Each change is stored with its own audit entry. */
  private setPaused(
    changes: { record: TargetRecord; paused: TargetRecord['paused']; fields: string[] }[],
  ): Promise<TargetRecord[]> {
    return runAuditedParts(
      changes.map(({ record, paused, fields }) => ({
        subject: record,
        fields,
        work: () => this.targets.setPaused(record.id, paused),
      })),
    );
  }
}

const alreadyOver = () =>
  new RelayError('pause_already_over', 422, 'The pause would end in the past.', {
    remedy: 'Set `until` to a time in the future, or omit it.',
    errors: [{ path: 'until', message: 'must be in the future' }],
  });
