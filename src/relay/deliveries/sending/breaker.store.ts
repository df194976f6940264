import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../ground/clock';
import { Journal, type Statement } from '../../database/journal';
import { Log } from '../../ground/log';
import type { TargetRecord } from '../../targets/target-record';
import { TimeBounds } from '../../ground/time-bounds';
import { TargetsService } from '../../targets/targets.service';
import { afterAttempt, CLOSED, type BreakerState, type ObservedAttempt, type Opening } from './breaker';
import { TargetStates } from '../queue/target-states';

/** An opening as stored, as JSON, in the target's row. */
interface StoredOpening {
  opened_at: number;
  reason: string;
  probes: number;
  probe_at: number;
}

/**
 * The circuit breakers of all targets, stored across restarts. Opening one changes a single row, however many
 * deliveries are queued.
 */
@Injectable()
export class BreakerStore implements OnModuleInit {
  private readonly states = new Map<number, BreakerState>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly targetStates: TargetStates,
    targets: TargetsService,
    private readonly log: Log,
  ) {
    targets.onChange((target) => {
      if (targets.byNumber(target.number) === null) this.states.delete(target.number);
      else if (target.policy.breaker === null && this.of(target.number).open !== null)
        this.transition(target, CLOSED, clock.now());
    });
  }

  async onModuleInit(): Promise<void> {
    const open = await this.source.query<{ number: number; breaker: string }[]>(
      'SELECT number, breaker FROM targets WHERE breaker IS NOT NULL AND deleted_at IS NULL',
    );
    for (const { number, breaker } of open)
      this.states.set(number, { ...CLOSED, open: openingOf(JSON.parse(breaker) as StoredOpening) });
  }

  of(target: number): BreakerState {
    return this.states.get(target) ?? CLOSED;
  }

  /** Updates the breaker after an attempt. */
  observe(target: TargetRecord, observed: ObservedAttempt): void {
    const before = this.of(target.number);
    const after = afterAttempt(before, target.policy, observed);
    if (after !== before) this.transition(target, after, observed.at);
  }

  /** Makes a probe due at once: the connection settings have changed, so it may be reachable now. */
  probeNow(target: TargetRecord): void {
    const state = this.of(target.number);
    if (state.open !== null)
      this.states.set(target.number, { ...state, open: { ...state.open, probeAt: this.bounds.latest() } });
  }

  private transition(target: TargetRecord, after: BreakerState, at: number): void {
    const { number, id } = target;
    const before = this.of(number);
    this.states.set(number, after);
    if (before.open === after.open) return;
    if (after.open !== null) {
      this.write(target, after.open);
      if (before.open !== null) return;
      const { reason } = after.open;
      this.log.warn({ target: id, reason }, 'breaker opened');
      this.targetStates.publish({ kind: 'opened', target, at, reason });
      return;
    }
    const { openedAt } = before.open!;
    this.write(target, null);
    this.log.info({ target: id, open_ms: at - openedAt }, 'breaker closed');
    this.targetStates.publish({ kind: 'recovered', target, at, openedAt });
  }

  /** Not awaited: the stored state is only read at the next start. */
  private write({ number, id }: TargetRecord, open: Opening | null): void {
    this.journal.change({ statements: [setBreaker(number, open)] }).catch((error: unknown) => {
      this.log.error({ err: error, target: id }, 'breaker not stored');
    });
  }
}

const openingOf = ({ opened_at, reason, probes, probe_at }: StoredOpening): Opening => ({
  openedAt: opened_at,
  reason,
  probes,
  probeAt: probe_at,
});

function setBreaker(target: number, open: Opening | null): Statement {
  const stored: StoredOpening | null =
    open === null
      ? null
      : { opened_at: open.openedAt, reason: open.reason, probes: open.probes, probe_at: open.probeAt };
  return [
    'UPDATE targets SET breaker = ? WHERE number = ?',
    [stored === null ? null : JSON.stringify(stored), target],
  ];
}
