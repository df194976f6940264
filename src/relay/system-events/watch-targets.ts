import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Backlog } from '../deliveries/queue/backlog';
import { Breakers } from '../deliveries/sending/breakers';
import { Alerts, type Alert } from '../events/alerts';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { describeTargetTrouble, type Trouble } from './describe-target-trouble';

const TICK_MS = 5_000;
const SECOND = 1_000;

/** A breaker that is open for longer is no restart of the receiver any more. */
const DOWN_AFTER_MS = 60 * 60_000;

/** From this part of their lifetime on it is told that deliveries expire. */
const EXPIRING_AFTER = 1 / 2;

const TROUBLES = ['disabled', 'down', 'expiring'] as const;

/**
 * Raises alerts for targets that lose events or are about to: disabled by Switchboard, down for long, or with deliveries
 * that come to the end of their lifetime.
 */
@Injectable()
export class WatchTargets implements OnModuleDestroy {
  private readonly looking = new NonOverlapping(
    () => this.look(),
    (error) => this.log.error({ err: error }, 'alerts of targets'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly breakers: Breakers,
    private readonly backlog: Backlog,
    private readonly bounds: TimeBounds,
    private readonly alerts: Alerts,
    private readonly log: Log,
  ) {}

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.looking.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.looking.stop();
  }

  private async look(): Promise<void> {
    for (const target of this.targets.all()) {
      const troubles = await this.troublesOf(target);
      for (const kind of TROUBLES) {
        const trouble = troubles.find((one) => one.kind === kind);
        if (trouble === undefined) this.alerts.resolve(`relay.target.${kind}`, target.id, OVER[kind](target));
        else this.raise(describeTargetTrouble(target, trouble));
      }
    }
    for (const { type, subject } of this.alerts.active())
      if (isOfTargets(type) && !this.targets.all().some(({ id }) => id === subject))
        this.alerts.resolve(type, subject, 'The target was removed.');
  }

  private async troublesOf({ number, disabled, policy }: TargetRecord): Promise<Trouble[]> {
    const troubles: Trouble[] = [];
    const { open } = this.breakers.of(number);
    const earliest = this.bounds.earliest();
    if (disabled !== null) troubles.push({ kind: 'disabled', reason: disabled.reason });
    if (open !== null && earliest - open.openedAt >= DOWN_AFTER_MS)
      troubles.push({ kind: 'down', since: open.openedAt, reason: open.reason });
    const oldestAt = await this.backlog.oldestAt([number]);
    const lifetimeMs = policy.max_age_s * SECOND;
    if (oldestAt !== null && earliest - oldestAt >= lifetimeMs * EXPIRING_AFTER)
      troubles.push({ kind: 'expiring', at: oldestAt + lifetimeMs, open: this.backlog.open(number) });
    return troubles;
  }

  /** Once, for as long as it lasts. */
  private raise(alert: Alert): void {
    const isActive = this.alerts
      .active()
      .some(({ type, subject }) => type === alert.type && subject === alert.subject);
    if (!isActive) this.alerts.raise(alert);
  }
}

const OVER: Record<Trouble['kind'], (target: TargetRecord) => string> = {
  disabled: ({ name }) => `${name} takes new events again.`,
  down: ({ name }) => `${name} answers again.`,
  expiring: ({ name }) => `Nothing that waits for ${name} is about to be given up any more.`,
};

const isOfTargets = (type: string): type is Alert['type'] =>
  TROUBLES.some((kind) => type === `relay.target.${kind}`);
