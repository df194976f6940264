import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Backlog } from '../deliveries/queue/backlog';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import type { AlertSummary } from '../../contract/alert';
import { FailingTargetQuery } from '../deliveries/failing-target.query';
import { LatestAttemptsStore } from '../deliveries/latest-attempts.store';
import type { Alert, AlertType } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { runEach } from '../ground/run-each';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { describeTargetProblem, type TargetProblem } from './describe-target-problem';

const TICK_MS = 5_000;
const SECOND = 1_000;

/** When the oldest queued delivery has reached this fraction of its lifetime, an alert is raised. */
const EXPIRING_AT_FRACTION = 1 / 2;

/** A failing target whose attempts fail in another way is reported again, but not more often than this. */
const CHANGED_CAUSE_AFTER_MS = 5 * 60_000;

const PROBLEM_KINDS = ['disabled', 'down', 'failing', 'expiring'] as const;

/**
 * Raises alerts for targets that lose events or are about to: disabled by Switchboard, down or failing for nine
 * minutes, or with deliveries that are about to expire.
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
    private readonly attempts: LatestAttemptsStore,
    private readonly failing: FailingTargetQuery,
    private readonly clock: Clock,
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
    for (const { type, subject } of this.alerts.active())
      if (isOfTargets(type) && !this.targets.all().some(({ id }) => id === subject))
        this.alerts.resolve(type, subject, 'The target was deleted.');
    await runEach(this.targets.all(), (target) => this.checkOne(target));
  }

  private async checkOne(target: TargetRecord): Promise<void> {
    const problems = await this.problemsOf(target);
    for (const kind of PROBLEM_KINDS) {
      const problem = problems.find((one) => one.kind === kind);
      if (problem === undefined)
        this.alerts.resolve(`relay.target.${kind}`, target.id, this.resolutionOf(kind, target));
      else this.raise(describeTargetProblem(target, problem));
    }
  }

  private async problemsOf(target: TargetRecord): Promise<TargetProblem[]> {
    const { number, disabled, policy } = target;
    const problems: TargetProblem[] = [];
    if (disabled !== null) problems.push({ kind: 'disabled', reason: disabled.reason });
    const unsuccessful = this.failureOf(target);
    if (unsuccessful !== null) problems.push(unsuccessful);
    const oldestAt = await this.backlog.oldestAt([number]);
    const lifetimeMs = policy.max_age_s * SECOND;
    if (oldestAt !== null && this.bounds.ageOf(oldestAt) >= lifetimeMs * EXPIRING_AT_FRACTION)
      problems.push({ kind: 'expiring', at: oldestAt + lifetimeMs, open: this.backlog.queued(number) });
    return problems;
  }

  /**
   * Down or failing: never both. To a paused target nothing is sent, and an address that is not allowed has its own
   * alert. Failures of a listener, such as of software under development, are reported only if it has a circuit breaker.
   */
  private failureOf({ id, number, disabled, paused, listener, policy }: TargetRecord): TargetProblem | null {
    if (listener !== null && policy.breaker === null) return null;
    if (disabled !== null || paused !== null || this.find('relay.target.address_denied', id) !== undefined)
      return null;
    const latest = this.attempts.of(number);
    const common = { latest, open: this.backlog.queued(number), now: this.clock.now() };
    const { open } = this.breakers.of(number);
    if (open !== null)
      return this.failing.lasts(latest)
        ? { kind: 'down', since: open.openedAt, reason: open.reason, ...common }
        : null;
    return this.failing.isToBeTold(number) ? { kind: 'failing', ...common } : null;
  }

  private resolutionOf(
    kind: TargetProblem['kind'],
    { name, number, paused, disabled }: TargetRecord,
  ): string {
    if (kind === 'disabled') return `${name} receives new events again.`;
    if (kind === 'expiring') return `No queued delivery to ${name} is about to expire any more.`;
    if (disabled !== null) return `${name} is disabled.`;
    if (paused !== null) return `${name} is paused.`;
    if (kind === 'down') return `${name} responds again.`;
    if (this.breakers.of(number).open !== null) return `${name} is down.`;
    if (this.attempts.of(number).failuresInRow === 0) return `${name} accepts deliveries again.`;
    return `Nothing is queued for ${name} any more.`;
  }

  /** Raises an alert unless it is already active, with the same cause. */
  private raise(alert: Alert): void {
    const active = this.find(alert.type, alert.subject);
    const isChanged =
      active !== undefined &&
      alert.type === 'relay.target.failing' &&
      ['status', 'error'].some((field) => active.data[field] !== alert.data?.[field]) &&
      this.clock.now() - Date.parse(active.last_at) >= CHANGED_CAUSE_AFTER_MS;
    if (active === undefined || isChanged) this.alerts.raise(alert);
  }

  private find(type: AlertType, subject: string): AlertSummary | undefined {
    return this.alerts.active().find((one) => one.type === type && one.subject === subject);
  }
}

const isOfTargets = (type: string): type is AlertType =>
  PROBLEM_KINDS.some((kind) => type === `relay.target.${kind}`);
