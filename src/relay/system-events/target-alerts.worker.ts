import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Backlog } from '../deliveries/queue/backlog';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { describeTargetProblem, type TargetProblem } from './describe-target-problem';

const TICK_MS = 5_000;
const SECOND = 1_000;

/** A circuit breaker that is open for longer than this has another cause than a restart of the receiver. */
const DOWN_AFTER_MS = 60 * 60_000;

/** When the oldest queued delivery has reached this fraction of its lifetime, an alert is raised. */
const EXPIRING_AT_FRACTION = 1 / 2;

const PROBLEM_KINDS = ['disabled', 'down', 'expiring'] as const;

/**
 * Raises alerts for targets that lose events or are about to: disabled by Switchboard, down for a long time, or
 * with deliveries that are about to expire.
 */
@Injectable()
export class TargetAlertsWorker implements OnModuleDestroy {
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'target alerts failed'),
  );

  constructor(
    private readonly targets: TargetsService,
    private readonly breakers: BreakerStore,
    private readonly backlog: Backlog,
    private readonly bounds: TimeBounds,
    private readonly alerts: AlertsService,
    private readonly log: Log,
  ) {}

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.checks.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.checks.stop();
  }

  private async check(): Promise<void> {
    for (const target of this.targets.all()) {
      const problems = await this.problemsOf(target);
      for (const kind of PROBLEM_KINDS) {
        const problem = problems.find((one) => one.kind === kind);
        if (problem === undefined)
          this.alerts.resolve(`relay.target.${kind}`, target.id, RESOLVED[kind](target));
        else this.raise(describeTargetProblem(target, problem));
      }
    }
    for (const { type, subject } of this.alerts.active())
      if (isOfTargets(type) && !this.targets.all().some(({ id }) => id === subject))
        this.alerts.resolve(type, subject, 'The target was deleted.');
  }

  private async problemsOf({ number, disabled, policy }: TargetRecord): Promise<TargetProblem[]> {
    const problems: TargetProblem[] = [];
    const { open } = this.breakers.of(number);
    const earliest = this.bounds.earliest();
    if (disabled !== null) problems.push({ kind: 'disabled', reason: disabled.reason });
    if (open !== null && earliest - open.openedAt >= DOWN_AFTER_MS)
      problems.push({ kind: 'down', since: open.openedAt, reason: open.reason });
    const oldestAt = await this.backlog.oldestAt([number]);
    const lifetimeMs = policy.max_age_s * SECOND;
    if (oldestAt !== null && earliest - oldestAt >= lifetimeMs * EXPIRING_AT_FRACTION)
      problems.push({ kind: 'expiring', at: oldestAt + lifetimeMs, open: this.backlog.queued(number) });
    return problems;
  }

  /** Raises an alert unless it is already active. */
  private raise(alert: Alert): void {
    const isActive = this.alerts
      .active()
      .some(({ type, subject }) => type === alert.type && subject === alert.subject);
    if (!isActive) this.alerts.raise(alert);
  }
}

const RESOLVED: Record<TargetProblem['kind'], (target: TargetRecord) => string> = {
  disabled: ({ name }) => `${name} receives new events again.`,
  down: ({ name }) => `${name} responds again.`,
  expiring: ({ name }) => `No queued delivery to ${name} is about to expire any more.`,
};

const isOfTargets = (type: string): type is Alert['type'] =>
  PROBLEM_KINDS.some((kind) => type === `relay.target.${kind}`);
