import { Injectable } from '@nestjs/common';
import { DurationHistogram } from '../ground/duration-histogram';
import { Journal } from '../database/journal/journal';
import { TargetsService } from '../targets/targets.service';

/** In seconds. The longest timeout of a policy is a minute. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What was counted for one target since the start of the daemon. */
export interface TargetMeter {
  finished: { succeeded: number; dead: number; cancelled: number };
  /** Durations of all attempts. */
  attempts: DurationHistogram;
  failedAttempts: number;
}

/** Counts deliveries and attempts for each target, at commit. */
@Injectable()
export class DeliveryMeter {
  private readonly meters = new Map<number, TargetMeter>();

  constructor(
    private readonly targets: TargetsService,
    journal: Journal,
  ) {
    targets.onChange(({ number }) => {
      if (targets.byNumber(number) === null) this.meters.delete(number);
    });
    journal.onCommit(({ results, ended }) => {
      for (const { key, attempt, state } of results) {
        const meter = this.of(key.target);
        meter?.attempts.add(attempt.durationMs);
        if (meter !== null && state !== 'retrying') meter.finished[state] += 1;
        if (meter !== null && state !== 'succeeded') meter.failedAttempts += 1;
      }
      for (const { key, previousState, deadLetter } of ended) {
        const meter = previousState === 'dead' ? null : this.of(key.target);
        if (meter !== null) meter.finished[deadLetter === null ? 'cancelled' : 'dead'] += 1;
      }
    });
  }

  /** Null for a removed target, so that there are never more meters than targets. */
  of(target: number): TargetMeter | null {
    const known = this.meters.get(target);
    if (known !== undefined) return known;
    if (this.targets.byNumber(target) === null) return null;
    const finished = { succeeded: 0, dead: 0, cancelled: 0 };
    const meter = { finished, attempts: new DurationHistogram(BOUNDS), failedAttempts: 0 };
    this.meters.set(target, meter);
    return meter;
  }
}
