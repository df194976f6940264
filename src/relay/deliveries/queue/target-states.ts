import { Injectable } from '@nestjs/common';
import { Journal } from '../../database/journal';
import type { DeliveryKey } from '../../ground/ids';
import type { TargetRecord } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';

/** Changes of a target that an operator is notified of. Times are ms since 1970; reasons are sentences. */
export type TargetState =
  | { kind: 'opened'; target: TargetRecord; at: number; reason: string }
  | { kind: 'recovered'; target: TargetRecord; at: number; openedAt: number }
  | { kind: 'paused'; target: TargetRecord; at: number; reason: string }
  /** `cause`: the status of the last response, or why there was none. */
  | { kind: 'dead'; target: TargetRecord; at: number; reason: string; cause: string; key: DeliveryKey };

/** Publishes changes of targets: circuit breakers, pauses, dead letters. */
@Injectable()
export class TargetStates {
  private readonly listeners: ((state: TargetState) => void)[] = [];
  private readonly pausedAt = new Map<number, number>();

  constructor(
    private readonly targets: TargetsService,
    journal: Journal,
  ) {
    targets.onChange((target) => this.publishPause(target));
    journal.onCommit(({ settled, concluded }) => {
      for (const { key, state, attempt, note, ending } of settled) {
        if (state !== 'dead') continue;
        const cause = ending ?? String(attempt.status ?? attempt.error);
        this.publishDead(key, { at: attempt.at + attempt.durationMs, note: note ?? '', cause });
      }
      for (const { key, died } of concluded) if (died !== null) this.publishDead(key, died);
    });
  }

  onTargetState(listener: (state: TargetState) => void): void {
    this.listeners.push(listener);
  }

  publish(state: TargetState): void {
    for (const listener of this.listeners) listener(state);
  }

  private publishDead(key: DeliveryKey, died: { at: number; note: string; cause: string }): void {
    const target = this.targets.byNumber(key.target);
    const { at, note: reason, cause } = died;
    if (target !== null) this.publish({ kind: 'dead', target, at, reason, cause, key });
  }

  /** Any change of a target comes by here; a pause is news once, at the time of its change. */
  private publishPause(target: TargetRecord): void {
    const { number, paused, updatedAt } = target;
    if (paused === null) this.pausedAt.delete(number);
    else if (paused.at === updatedAt && this.pausedAt.get(number) !== paused.at) {
      this.pausedAt.set(number, paused.at);
      this.publish({ kind: 'paused', target, at: paused.at, reason: paused.reason });
    }
  }
}
