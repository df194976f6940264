import type { TargetRecord } from '../../targets/target-record';
import { failurePlace } from '../../transforms/failure-text';
import type { AttemptOutcome } from './attempt-outcome';

/** With `on_error: dead`, this many different events in a row are enough to see that the expression is wrong. */
const MOST_FAILURES = 5;

/** If a target is not paused by then, its pause could not be stored, and it is sent to again. */
const PAUSED_WITHIN_MS = 5_000;

/** Pauses targets whose expression fails. */
export class FailingTransforms {
  /** By target: the events with which it failed since it last had a result. */
  private readonly failed = new Map<number, Set<number>>();
  /** By target: until when it waits for its pause, by `performance.now()`. */
  private readonly pausing = new Map<number, number>();

  constructor(private readonly pause: (target: TargetRecord, reason: string) => void) {}

  /** Whether nothing may be sent, since the pause of the target is under way. */
  isPausing(target: number): boolean {
    return (this.pausing.get(target) ?? 0) > performance.now();
  }

  /** The target was changed: paused, resumed, or given another expression. */
  forget(target: number): void {
    this.failed.delete(target);
    this.pausing.delete(target);
  }

  /** @returns false if the delivery stays queued, and there was no attempt */
  counts(seq: number, target: TargetRecord, { transform, failure }: AttemptOutcome): boolean {
    if (transform === undefined) return true;
    const { number } = target;
    if (failure === undefined) {
      this.failed.delete(number);
      return true;
    }
    if (this.isPausing(number) || target.paused !== null) return false;
    const place = failurePlace(failure);
    if (target.transform?.on_error === 'pause') {
      this.pauseNow(target, `Its transformation failed: ${place}.`);
      return false;
    }
    const failed = this.failed.get(number) ?? new Set();
    this.failed.set(number, failed.add(seq));
    if (failed.size >= MOST_FAILURES)
      this.pauseNow(
        target,
        `Its transformation failed with ${MOST_FAILURES} different events in a row, at last with ${place}.`,
      );
    return true;
  }

  private pauseNow(target: TargetRecord, reason: string): void {
    this.pausing.set(target.number, performance.now() + PAUSED_WITHIN_MS);
    this.pause(target, reason);
  }
}
