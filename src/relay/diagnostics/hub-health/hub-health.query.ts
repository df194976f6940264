import { Injectable } from '@nestjs/common';
import type { Issue, HubHealth } from '../../../contract/health';
import { ConnectionService } from '../../connection/connection.service';
import { LatestAttemptsStore } from '../../deliveries/latest-attempts.store';
import { Backlog } from '../../deliveries/queue/backlog';
import { QueueDelaysQuery } from '../../deliveries/queue/queue-delays.query';
import { BreakerStore } from '../../deliveries/sending/breaker.store';
import { AlertsService } from '../../events/alerts.service';
import { DuplicatesService } from '../../events/duplicates.service';
import { Clock } from '../../ground/clock';
import { Daemons } from '../../ground/daemons';
import { SharedRun } from '../../ground/shared-run';
import { TimeBounds } from '../../ground/time-bounds';
import { AckMeter } from '../../intake/ack-meter';
import { FindRejectionsQuery } from '../../intake/find-rejections.query';
import { OutageStore } from '../../outages/outage.store';
import { TargetHealthQuery } from '../../stats/target-health.query';
import type { TargetRecord } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { SnoozesService } from '../snoozes/snoozes.service';
import { SubscriptionStatusQuery } from '../subscription-status.query';
import { mergeAlerts } from './merge-alerts';
import { copilotIssues, outageIssues } from './copilot-issues';
import { countOf, draftIssue, type IssueDraft } from './draft-issue';
import { notificationIssues } from './notification-issues';
import { targetIssues } from './target-issue';

const LISTED = 50;

const RANK: Record<Issue['severity'], number> = { critical: 0, warning: 1, info: 2 };

/**
 * Whether all is well: the active alerts, and what the present states of all parts add to them. Everything that
 * answers this question asks here: the Overview, `status`, `doctor`, `/readyz`, the heartbeat request and the
 * metrics.
 */
@Injectable()
export class HubHealthQuery {
  private readonly reads = new SharedRun(() => this.readAll());

  constructor(
    private readonly alerts: AlertsService,
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionStatusQuery,
    private readonly outages: OutageStore,
    private readonly targets: TargetsService,
    private readonly targetHealth: TargetHealthQuery,
    private readonly attempts: LatestAttemptsStore,
    private readonly breakers: BreakerStore,
    private readonly backlog: Backlog,
    private readonly delays: QueueDelaysQuery,
    private readonly meter: AckMeter,
    private readonly rejections: FindRejectionsQuery,
    private readonly duplicates: DuplicatesService,
    private readonly daemons: Daemons,
    private readonly snoozes: SnoozesService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  read(): Promise<HubHealth> {
    return this.reads.run();
  }

  private async readAll(): Promise<HubHealth> {
    const found: IssueDraft[] = [];
    for await (const issue of this.find()) found.push(issue);
    const snoozes = new Map(this.snoozes.active().map(({ issue, ...snooze }) => [issue, snooze]));
    const issues = mergeAlerts(this.alerts.active(), found)
      .map((draft) => ({ ...draft, snoozed: snoozes.get(draft.id) ?? null }))
      .toSorted((one, other) => RANK[one.severity] - RANK[other.severity]);
    const ok = issues.every(({ severity, snoozed }) => severity === 'info' || snoozed !== null);
    return { ok, issues };
  }

  /** What the present states say, without alerts. */
  private async *find(): AsyncGenerator<IssueDraft> {
    const subscription = this.subscription.read();
    yield* copilotIssues(this.connection.state(), subscription);
    yield* outageIssues((await this.outages.list(LISTED, undefined)).data, subscription.silence);
    const dead = this.backlog.deadTotal;
    if (dead > 0)
      yield draftIssue({
        code: 'delivery.dead',
        id: 'dead',
        severity: 'critical',
        sentence: `${countOf(dead, 'dead letter')}: deliveries that failed permanently.`,
        remedy: 'Fix their targets and retry them, or discard them.',
      });
    const targets = this.targets.all();
    if (targets.length === 0)
      yield draftIssue({
        code: 'target.none',
        id: 'no-target',
        sentence: 'There is no target: events are stored but not delivered.',
        remedy: 'Add a target.',
      });
    for (const issues of await Promise.all(targets.map((target) => this.targetIssues(target)))) yield* issues;
    for (const { id, address, aliveUntil, isAlive } of await this.daemons.list()) {
      const at = new Date(aliveUntil).toISOString();
      if (!isAlive)
        yield draftIssue({
          code: 'daemon.dead',
          id: `daemon:${id}`,
          sentence: `Daemon ${address === '' ? id : address.replace('http://', '')} is not alive: its lease ended at ${at}.`,
          remedy: 'Start it again, or check whether it reaches the database.',
          since: at,
        });
    }
    yield* notificationIssues({
      p99: this.meter.durations?.p99 ?? null,
      rejections: (await this.rejections.list(1, undefined)).data,
      duplicates: (await this.duplicates.list({ state: 'held', limit: LISTED })).data,
      now: this.clock.now(),
    });
  }

  private async targetIssues(target: TargetRecord): Promise<Iterable<IssueDraft>> {
    const { number } = target;
    const until = target.paused?.until ?? null;
    const delay = await this.delays.of(number);
    return targetIssues({
      target,
      states: this.targetHealth.of(target, delay).states,
      delay,
      opening: this.breakers.of(number).open,
      latest: this.attempts.of(number),
      pausedUntil: until === null ? null : this.bounds.toWallClock(until),
      now: this.clock.now(),
      open: this.backlog.queued(number),
      dead: this.backlog.dead(number),
    });
  }
}
