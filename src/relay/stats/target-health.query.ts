import { Injectable } from '@nestjs/common';
import type { HealthState, TargetHealth } from '../../contract/target-health';
import type { QueueDelay } from '../deliveries/queue/queue-delays.query';
import { FailingTargetQuery } from '../deliveries/failing-target.query';
import { LatestAttemptsStore } from '../deliveries/latest-attempts.store';
import { RecentAttemptsStore } from '../deliveries/recent-attempts.store';
import { describeOutcome } from '../deliveries/sending/attempt-outcome';
import { ListenerLinks } from '../deliveries/listeners/listener-links';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import { Clock } from '../ground/clock';
import { isoOrNull } from '../ground/iso-time';
import type { TargetRecord } from '../targets/target-record';

/** Nothing but probes is sent in these. */
export const HOLDING: readonly HealthState[] = ['paused', 'offline', 'down'];

/** In these, what was delivered lately does not tell when the queue will be empty. */
export const UNPREDICTABLE: readonly HealthState[] = [...HOLDING, 'disabled', 'blocked', 'failing'];

const BEHIND_AFTER_MS = 60_000;

/** The health of a target, from memory and what its queue waits for. */
@Injectable()
export class TargetHealthQuery {
  constructor(
    private readonly recent: RecentAttemptsStore,
    private readonly latest: LatestAttemptsStore,
    private readonly failing: FailingTargetQuery,
    private readonly breakers: BreakerStore,
    private readonly listeners: ListenerLinks,
    private readonly clock: Clock,
  ) {}

  of(record: TargetRecord, { dueSince, blockedLanes }: QueueDelay): TargetHealth {
    const { attempts, failed, p95Ms } = this.recent.lastHour(record.number);
    const { lastSuccessAt, lastFailure } = this.latest.of(record.number);
    const states = healthStates(record, {
      isOffline: this.listeners.isOffline(record),
      isDown: this.breakers.of(record.number).open !== null,
      isFailing: this.failing.isFailing(record.number),
      isBlocked: blockedLanes > 0,
      isBehind: dueSince !== null && this.clock.now() - dueSince > BEHIND_AFTER_MS,
    });
    return {
      states,
      attempts,
      failed,
      p95_ms: p95Ms,
      last_delivered_at: isoOrNull(lastSuccessAt),
      last_failure: lastFailure && {
        at: new Date(lastFailure.at).toISOString(),
        sentence: describeOutcome(lastFailure),
      },
    };
  }
}

interface Findings {
  isOffline: boolean;
  isDown: boolean;
  isFailing: boolean;
  isBlocked: boolean;
  isBehind: boolean;
}

/** All states that hold, the most important first. A target disabled by hand may still be sent what is queued. */
function healthStates(
  { paused, disabled, enabled }: Pick<TargetRecord, 'paused' | 'disabled' | 'enabled'>,
  { isOffline, isDown, isFailing, isBlocked, isBehind }: Findings,
): HealthState[] {
  const isHeld = paused !== null || isOffline || isDown;
  const holding: [HealthState, boolean][] = [
    ['disabled', disabled !== null],
    ['paused', paused !== null],
    ['offline', isOffline],
    ['down', isDown],
    ['blocked', isBlocked],
    // An open circuit breaker says the same.
    ['failing', isFailing && !isDown],
    ['behind', isBehind && !isHeld],
    ['disabled', !enabled && disabled === null],
  ];
  const states = holding.filter(([, holds]) => holds).map(([state]) => state);
  return states.length === 0 ? ['active'] : states;
}
