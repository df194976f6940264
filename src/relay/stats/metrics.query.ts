import { Injectable } from '@nestjs/common';
import { CONNECTION_STATES } from '../../contract/connection';
import { SUBSCRIPTION_STATES } from '../../contract/subscription';
import { BackupsService } from '../backups/backups.service';
import { ConnectionService } from '../connection/connection.service';
import { DiskSpace } from '../database/disk-space';
import { Backlog } from '../deliveries/queue/backlog';
import { ListenerLinks } from '../deliveries/listeners/listener-links';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import { Clock } from '../ground/clock';
import { Daemons } from '../ground/daemons';
import type { DurationHistogram } from '../ground/duration-histogram';
import { AckMeter } from '../intake/ack-meter';
import { NotStoredWorker } from '../intake/not-stored.worker';
import { RouterWorker } from '../router/router.worker';
import { SubscriptionService } from '../subscription/subscription.service';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { DeliveryMeter } from './delivery-meter';

type Labels = Record<string, string>;

interface MetricValue {
  /** The name of the series, if it is not that of the metric. */
  metricName?: string;
  labels: Labels;
  value: number;
}

export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  values: MetricValue[];
}

/**
 * The metrics of `GET /metrics`, read when they are requested: what they count is counted anyway. The only label with
 * values from outside is `target`, the name of a target. There are at most 200 targets, and a removed one is left out.
 */
@Injectable()
export class MetricsQuery {
  constructor(
    private readonly meter: AckMeter,
    private readonly deliveries: DeliveryMeter,
    private readonly backlog: Backlog,
    private readonly breakers: BreakerStore,
    private readonly listeners: ListenerLinks,
    private readonly targets: TargetsService,
    private readonly connection: ConnectionService,
    private readonly subscription: SubscriptionService,
    private readonly disk: DiskSpace,
    private readonly backups: BackupsService,
    private readonly daemons: Daemons,
    private readonly notStored: NotStoredWorker,
    private readonly router: RouterWorker,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<Metric[]> {
    return [
      ...this.ofNotifications(),
      ...(await this.ofTargets()),
      ...this.ofCopilot(),
      ...(await this.ofStorage()),
      await this.ofDaemons(),
    ];
  }

  private ofNotifications(): Metric[] {
    const { counts, histogram: durations } = this.meter;
    const outcomes = Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value }));
    return [
      counter(
        'switchboard_notifications_total',
        'Requests with a valid key, by outcome: stored, already stored, without a matching signature, or not stored.',
        outcomes,
      ),
      counter(
        'switchboard_notifications_not_stored_total',
        'Requests to /hooks/ that were not stored, by reason.',
        this.notStored.sinceStart.map(({ reason, count }) => ({ labels: { reason }, value: count })),
      ),
      histogram(
        'switchboard_ack_seconds',
        'Time from the last byte of a notification to its 200.',
        seriesOf('switchboard_ack_seconds', {}, durations),
      ),
    ];
  }

  private async ofTargets(): Promise<Metric[]> {
    const targets = this.targets.all();
    const now = this.clock.now();
    const lag = await this.router.lag();
    const oldest = await Promise.all(targets.map(({ number }) => this.backlog.oldestAt([number])));
    const perTarget = (valueOf: (target: TargetRecord, index: number) => number): MetricValue[] =>
      targets.map((target, index) => ({ labels: { target: target.name }, value: valueOf(target, index) }));
    const metered = targets.flatMap(({ name, number }) => {
      const meter = this.deliveries.of(number);
      return meter === null ? [] : [{ target: name, ...meter }];
    });
    return [
      counter(
        'switchboard_deliveries_total',
        'Deliveries that finished, by outcome.',
        metered.flatMap(({ target, finished }) =>
          Object.entries(finished).map(([outcome, value]) => ({ labels: { target, outcome }, value })),
        ),
      ),
      histogram(
        'switchboard_attempt_seconds',
        'Duration of attempts, whatever their outcome.',
        metered.flatMap(({ target, attempts }) =>
          seriesOf('switchboard_attempt_seconds', { target }, attempts),
        ),
      ),
      counter(
        'switchboard_attempts_failed_total',
        'Attempts that failed.',
        metered.map(({ target, failedAttempts }) => ({ labels: { target }, value: failedAttempts })),
      ),
      gauge(
        'switchboard_backlog',
        'Queued deliveries.',
        perTarget(({ number }) => this.backlog.queued(number)),
      ),
      gauge(
        'switchboard_backlog_oldest_seconds',
        'Age of the oldest queued delivery; 0 without one.',
        perTarget((_, index) => Math.max(0, now - (oldest[index] ?? now)) / 1_000),
      ),
      gauge(
        'switchboard_breaker_open',
        '1 while the circuit breaker is open.',
        perTarget(({ number }) => (this.breakers.of(number).open === null ? 0 : 1)),
      ),
      gauge(
        'switchboard_target_offline',
        '1 while no process takes the events of a listener.',
        perTarget((target) => (this.listeners.isOffline(target) ? 1 : 0)),
      ),
      gauge(
        'switchboard_router_lag_events',
        'Events that are not compared with the state before yet; absent if no filter compares.',
        valueOrNone(lag && lag.newest - lag.position, (events) => events),
      ),
    ];
  }

  private ofCopilot(): Metric[] {
    const connection = this.connection.state();
    const subscription = this.subscription.state();
    return [
      stateGauge(
        'switchboard_connection_state',
        'The OAuth connection to Co-Pilot: 1 for its state.',
        CONNECTION_STATES,
        connection.state,
      ),
      stateGauge(
        'switchboard_subscription_state',
        'The webhook registration at Co-Pilot: 1 for its state.',
        SUBSCRIPTION_STATES,
        subscription.state,
      ),
      gauge(
        'switchboard_token_expires_seconds',
        'Time until the access token expires, negative once it has; absent without a grant.',
        valueOrNone(secondsOf(connection.expires_at), (at) => at - this.clock.now() / 1_000),
      ),
      gauge(
        'switchboard_last_notification_timestamp_seconds',
        'When the last notification with a valid signature arrived, since 1970; absent before the first.',
        valueOrNone(secondsOf(subscription.last_notification_at), (at) => at),
      ),
    ];
  }

  private async ofStorage(): Promise<Metric[]> {
    const space = await this.disk.read();
    return [
      gauge(
        'switchboard_disk_free_bytes',
        'Free space on the disk of the database.',
        valueOrNone(space?.freeBytes ?? null, (bytes) => bytes),
      ),
      gauge(
        'switchboard_disk_size_bytes',
        'Size of the disk of the database.',
        valueOrNone(space?.totalBytes ?? null, (bytes) => bytes),
      ),
      gauge(
        'switchboard_last_backup_timestamp_seconds',
        'When the latest backup was made, since 1970; absent before the first.',
        valueOrNone(secondsOf(this.backups.latestBackup?.at ?? null), (at) => at),
      ),
    ];
  }

  private async ofDaemons(): Promise<Metric> {
    const daemons = await this.daemons.list();
    const alive = daemons.filter(({ isAlive }) => isAlive).length;
    return gauge('switchboard_daemons', 'Daemons on the database, by whether they run.', [
      { labels: { state: 'alive' }, value: alive },
      { labels: { state: 'lost' }, value: daemons.length - alive },
    ]);
  }
}

const metric =
  (type: Metric['type']) =>
  (name: string, help: string, values: MetricValue[]): Metric => ({ name, help, type, values });

const counter = metric('counter');
const gauge = metric('gauge');
const histogram = metric('histogram');

const stateGauge = (name: string, help: string, states: readonly string[], current: string): Metric =>
  gauge(
    name,
    help,
    states.map((state) => ({ labels: { state }, value: state === current ? 1 : 0 })),
  );

const secondsOf = (iso: string | null) => (iso === null ? null : Date.parse(iso) / 1_000);

const valueOrNone = (known: number | null, valueOf: (known: number) => number): MetricValue[] =>
  known === null ? [] : [{ labels: {}, value: valueOf(known) }];

function seriesOf(name: string, labels: Labels, durations: DurationHistogram): MetricValue[] {
  const counts = durations.cumulativeCounts;
  const bounds = [...durations.bounds.map(boundText), '+Inf'];
  return [
    ...bounds.map((le, index) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value: counts[index]!,
    })),
    { metricName: `${name}_sum`, labels, value: durations.sumSeconds },
    { metricName: `${name}_count`, labels, value: counts.at(-1)! },
  ];
}

/** As OpenMetrics demands it; the same in both formats, or the series would differ. */
const boundText = (bound: number) => (Number.isInteger(bound) ? bound.toFixed(1) : String(bound));
