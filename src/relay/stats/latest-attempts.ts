import { Injectable } from '@nestjs/common';
import type { TargetsTraffic } from '../../contract/stats';
import { Journal, type AttemptRecord } from '../database/journal';

/** After this many failures in a row, the next success is a recovery. */
const FAILURES_BEFORE_RECOVERY = 5;

type Latest = Pick<TargetsTraffic['data'][number], 'last_failure' | 'last_success_at' | 'recovered_at'>;

interface Attempts {
  failure: AttemptRecord | null;
  successAt: number | null;
  failuresInRow: number;
  recoveredAt: number | null;
}

/** The latest outcomes of attempts at each target since the start of the daemon. */
@Injectable()
export class LatestAttempts {
  private readonly byTarget = new Map<number, Attempts>();

  constructor(journal: Journal) {
    journal.onCommit(({ results }) => {
      for (const { key, attempt, state } of results) this.record(key.target, attempt, state === 'succeeded');
    });
  }

  of(target: number): Latest {
    const { failure, successAt, recoveredAt } = this.byTarget.get(target) ?? NONE;
    return {
      last_failure: failure && { at: instant(endOf(failure)), status: failure.status, error: failure.error },
      last_success_at: successAt === null ? null : instant(successAt),
      recovered_at: recoveredAt === null ? null : instant(recoveredAt),
    };
  }

  private record(target: number, attempt: AttemptRecord, succeeded: boolean): void {
    const before = this.byTarget.get(target) ?? NONE;
    const isFailing = before.failuresInRow + Number(!succeeded) >= FAILURES_BEFORE_RECOVERY;
    const at = endOf(attempt);
    this.byTarget.set(
      target,
      succeeded
        ? { ...before, successAt: at, failuresInRow: 0, recoveredAt: isFailing ? at : before.recoveredAt }
        : {
            ...before,
            failure: attempt,
            failuresInRow: before.failuresInRow + 1,
            recoveredAt: isFailing ? null : before.recoveredAt,
          },
    );
  }
}

const NONE: Attempts = { failure: null, successAt: null, failuresInRow: 0, recoveredAt: null };

const endOf = ({ at, durationMs }: AttemptRecord) => at + durationMs;

const instant = (ms: number) => new Date(ms).toISOString();
