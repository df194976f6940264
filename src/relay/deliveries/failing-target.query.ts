import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Backlog } from './queue/backlog';
import { JUDGED_ATTEMPTS, LatestAttemptsStore, type LatestAttempts } from './latest-attempts.store';

/** As long as what is due may wait until a target counts as behind. */
const FAILING_AFTER_MS = 60_000;

/** Operators are told within ten minutes: this, the interval of the check, and the time that a message takes. */
const TOLD_AFTER_MS = 9 * 60_000;

/** A single failure says little about a target; without retries it is a dead letter, which has an alert of its own. */
const MIN_FAILURES = 2;

const FAILING_FROM_SHARE = 0.5;

/** Without anything queued, the latest attempts say nothing about the present after this time. */
const OUTDATED_AFTER_MS = 60 * 60_000;

/** Whether a target is failing, judged by its latest attempts alone. */
@Injectable()
export class FailingTargetQuery {
  constructor(
    private readonly attempts: LatestAttemptsStore,
    private readonly backlog: Backlog,
    private readonly clock: Clock,
  ) {}

  /** Whether half of the latest ten attempts failed, or all of the last minute. */
  isFailing(target: number): boolean {
    const latest = this.attempts.of(target);
    const count = latest.failed.filter((failed) => failed).length;
    const isShare = latest.failed.length >= JUDGED_ATTEMPTS && count >= JUDGED_ATTEMPTS * FAILING_FROM_SHARE;
    return (isShare && this.isCurrent(target, latest)) || this.rejectsEverything(target, FAILING_AFTER_MS);
  }

  /** Whether all attempts of the last nine minutes failed, of which an operator is told. */
  isToBeTold(target: number): boolean {
    return this.rejectsEverything(target, TOLD_AFTER_MS);
  }

  /** Whether no attempt has succeeded for nine minutes. */
  lasts(latest: LatestAttempts, ms = TOLD_AFTER_MS): boolean {
    return latest.failingFrom !== null && this.clock.monotonic() - latest.failingFrom >= ms;
  }

  /** How many attempts failed does not matter from two on. */
  private rejectsEverything(target: number, ms: number): boolean {
    const latest = this.attempts.of(target);
    return latest.failuresInRow >= MIN_FAILURES && this.lasts(latest, ms) && this.isCurrent(target, latest);
  }

  private isCurrent(target: number, { lastFailure, failingSince }: LatestAttempts): boolean {
    if (this.backlog.queued(target) > 0) return true;
    const at = lastFailure?.at ?? failingSince;
    return at !== null && this.clock.now() - at < OUTDATED_AFTER_MS;
  }
}
