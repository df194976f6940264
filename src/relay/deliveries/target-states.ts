import { Injectable } from '@nestjs/common';
import { Journal } from '../database/journal/journal';
import type { DeliveryKey } from '../ground/ids';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { Signal } from '../ground/signal';

/** Changes of a target that an operator is notified of. Times are ms since 1970; reasons are sentences. */
export type TargetState =
  | { kind: 'opened'; target: TargetRecord; at: number; reason: string }
  | { kind: 'recovered'; target: TargetRecord; at: number; openedAt: number }
  | { kind: 'paused'; target: TargetRecord; at: number; reason: string }
  /** A delivery became a dead letter. `cause`: the status of the last response, or why there was none. */
  | { kind: 'dead'; target: TargetRecord; at: number; reason: string; cause: string; key: DeliveryKey };

/** Publishes changes of targets: circuit breakers, pauses, dead letters. */
@Injectable()
export class TargetStates {
  private readonly states = new Signal<[TargetState]>();

  constructor(
    private readonly targets: TargetsService,
    journal: Journal,
  ) {
    targets.onChange((target, before) => this.publishPause(target, before));
    journal.onCommit(({ results, ended }) => {
      for (const { key, state, attempt, note, ending } of results) {
        if (state !== 'dead') continue;
        const cause = ending ?? String(attempt.status ?? attempt.error);
        this.publishDead(key, { at: attempt.at + attempt.durationMs, note: note ?? '', cause });
      }
      for (const { key, deadLetter } of ended) if (deadLetter !== null) this.publishDead(key, deadLetter);
    });
  }

  onTargetState(listener: (state: TargetState) => void): void {
    this.states.subscribe(listener);
  }

  publish(state: TargetState): void {
    this.states.emit(state);
  }

  private publishDead(key: DeliveryKey, deadLetter: { at: number; note: string; cause: string }): void {
    const target = this.targets.byNumber(key.target);
    const { at, note: reason, cause } = deadLetter;
    if (target !== null) this.publish({ kind: 'dead', target, at, reason, cause, key });
  }

  /** An extended pause, or one with another reason, keeps its start and is not published again. */
  private publishPause(target: TargetRecord, before: TargetRecord): void {
    const { paused } = target;
    if (paused === null || paused.at === before.paused?.at) return;
    this.publish({ kind: 'paused', target, at: paused.at, reason: paused.reason });
  }
}
