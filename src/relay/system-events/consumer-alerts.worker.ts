import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { ConsumerStatesQuery, type ConsumerState } from '../consumers/consumer-states.query';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { formatCount } from '../ground/format-count';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';

const CHECK_INTERVAL_MS = 30_000;

/** The part of its time after which an unread event raises an alert. */
const EXPIRING_PART = 0.8;

const EXPIRING = 'relay.consumer.expiring';
const PRUNED = 'relay.consumer.pruned';

/** Raises alerts about consumers that retention overtakes, or is about to: it does not wait for them. */
@Injectable()
export class ConsumerAlertsWorker implements OnModuleDestroy {
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'consumer alerts failed'),
  );

  constructor(
    private readonly states: ConsumerStatesQuery,
    private readonly alerts: AlertsService,
    private readonly log: Log,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  tick(): Promise<void> {
    return this.checks.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.checks.stop();
  }

  private async check(): Promise<void> {
    const states = await this.states.read();
    const isExpiring = (state?: ConsumerState) =>
      state !== undefined && state.missed <= 0 && this.states.usedOf(state) >= EXPIRING_PART;
    for (const state of states.values()) {
      if (hasMissed(state)) this.raise(pruned(state));
      else if (isExpiring(state)) this.raise(expiring(state));
    }
    for (const { type, subject } of this.alerts.active()) {
      const state = states.get(subject);
      if (type === PRUNED && !hasMissed(state))
        this.alerts.resolve(type, subject, 'The consumer was reset, or removed.');
      if (type === EXPIRING && !isExpiring(state))
        this.alerts.resolve(
          type,
          subject,
          'The consumer has read these events, or lost them, or was removed.',
        );
    }
  }

  /** Raises an alert unless it is active, with the same loss. */
  private raise(alert: Alert): void {
    const isTold = this.alerts
      .active()
      .some(
        ({ type, subject, data }) =>
          type === alert.type && subject === alert.subject && data['missed'] === alert.data!['missed'],
      );
    if (!isTold) this.alerts.raise(alert);
  }
}

const hasMissed = (state?: ConsumerState) => (state?.missed ?? 0) > 0;

const expiring = ({ name, lag }: ConsumerState): Alert => ({
  type: EXPIRING,
  subject: name,
  severity: 'warning',
  sentence: `The consumer ${name} has not read events that retention removes soon: the oldest has used 80 % of its time. ${lag} events are stored behind its position.`,
  remedy: 'Start its reader, increase SWITCHBOARD_RETENTION_DAYS, or remove the consumer.',
  data: { consumer: name, lag },
});

const pruned = ({ name, missed }: ConsumerState): Alert => ({
  type: PRUNED,
  subject: name,
  severity: 'critical',
  sentence: `The consumer ${name} has lost ${formatCount(missed)} events: retention removed them before they were read.`,
  remedy: `Remove it, or accept the loss: switchboard consumers reset ${name} --position oldest`,
  data: { consumer: name, missed },
});
