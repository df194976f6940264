import { Injectable } from '@nestjs/common';
import { Breakers } from '../deliveries/sending/breakers';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

/** Why nothing goes out to a target for now. */
export interface Pause {
  why: 'paused' | 'breaker_open';
  /** Ms since 1970. */
  since: number;
  /** As a sentence. */
  reason: string;
}

/** Which targets are sent nothing for now: paused ones, and those whose breaker is open. */
@Injectable()
export class PausedTargets {
  constructor(
    private readonly targets: TargetsService,
    private readonly breakers: Breakers,
  ) {}

  /** Null where it goes on. */
  pauseOf({ number, paused }: TargetRecord): Pause | null {
    if (paused !== null) return { why: 'paused', since: paused.at, reason: paused.reason };
    const { open } = this.breakers.of(number);
    return open === null ? null : { why: 'breaker_open', since: open.openedAt, reason: open.reason };
  }

  all(): { target: TargetRecord; rest: Pause }[] {
    return this.targets.all().flatMap((target) => {
      const rest = this.pauseOf(target);
      return rest === null ? [] : [{ target, rest }];
    });
  }
}
