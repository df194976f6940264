import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../ground/clock';
import { Journal } from '../../database/journal/journal';
import type { Statement } from '../../database/journal/statements';
import { Log } from '../../ground/log';
import type { TargetRecord } from '../../targets/target-record';
import { TimeBounds } from '../../ground/time-bounds';
import { TargetsService } from '../../targets/targets.service';
import { afterAttempt, CLOSED, type BreakerState, type ObservedAttempt, type Opening } from './breaker';
import { TargetOwnership } from '../target-ownership';
import { TargetStates } from '../target-states';

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
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly targetStates: TargetStates,
    private readonly targets: TargetsService,
    ownership: TargetOwnership,
    private readonly log: Log,
  ) {
    targets.onChange((target) => {
      const { number, policy } = target;
      if (targets.byNumber(number) === null) this.states.delete(number);
      else if (policy.breaker === null && this.of(number) !== CLOSED && ownership.delivers(number))
        this.transition(target, CLOSED, clock.now());
    });
  }

  async onModuleInit(): Promise<void> {
    for (const { number, open } of await this.stored()) this.states.set(number, { ...CLOSED, open });
  }

  /** Reads what other daemons have stored. @param isWanted for targets that this daemon does not deliver to */
  async read(isWanted: (target: number) => boolean): Promise<void> {
    for (const { number, open } of await this.stored()) {
      const target = this.targets.byNumber(number);
      if (target !== null && isWanted(number)) this.replace(target, { ...CLOSED, open }, this.clock.now());
    }
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
    const before = this.of(target.number).open;
    if (before !== after.open) this.write(target, after.open);
    this.replace(target, after, at);
  }

  private replace(target: TargetRecord, after: BreakerState, at: number): void {
    const { number, id } = target;
    const before = this.of(number).open;
    this.states.set(number, after);
    if (after.open !== null && before === null) {
      const { reason, openedAt } = after.open;
      this.log.warn({ target: id, reason }, 'breaker opened');
      this.targetStates.publish({ kind: 'opened', target, at: openedAt, reason });
    } else if (after.open === null && before !== null) {
      const { openedAt } = before;
      this.log.info({ target: id, open_ms: at - openedAt }, 'breaker closed');
      this.targetStates.publish({ kind: 'recovered', target, at, openedAt });
    }
  }

  private async stored(): Promise<{ number: number; open: Opening | null }[]> {
    const rows = await this.source.query<{ number: number; breaker: string | null }[]>(
      'SELECT number, breaker FROM targets WHERE deleted_at IS NULL',
    );
    return rows.map(({ number, breaker }) => {
      // A kill may have come between the change of the policy and the end of what was open.
      const isOff = this.targets.byNumber(number)?.policy.breaker === null;
      return {
        number,
        open: breaker === null || isOff ? null : openingOf(JSON.parse(breaker) as StoredOpening),
      };
    });
  }

  /** Not awaited: the stored state is read at the next start, and by other daemons. */
  private write({ number, id }: TargetRecord, open: Opening | null): void {
    this.journal
      .change({ statements: [setBreaker(number, open)], asOwnerOf: number })
      .catch((error: unknown) => {
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
  const stored: StoredOpening | null = open && {
    opened_at: open.openedAt,
    reason: open.reason,
    probes: open.probes,
    probe_at: open.probeAt,
  };
  return ['UPDATE targets SET breaker = ? WHERE number = ?', [stored && JSON.stringify(stored), target]];
}
