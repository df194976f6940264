import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ConnectionState } from '../../contract/connection';
import type { SubscriptionState } from '../../contract/subscription';
import { ConnectionService } from '../connection/connection.service';
import { AlertsService } from '../events/alerts.service';
import { Clock } from '../ground/clock';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;
const MINUTE_MS = 60_000;

/** How long each state lasts before an alert is raised. The other states are healthy, or chosen by an operator. */
const CONNECTION_ALERT_AFTER_MS: Partial<Record<ConnectionState, number>> = {
  consent_needed: 5_000,
  client_rejected: 5_000,
  // Both are retried automatically.
  renewal_interrupted: 10 * MINUTE_MS,
  unreachable: 10 * MINUTE_MS,
};
/** How long before its end access that cannot be renewed is announced: this, or this part of its whole time. */
const END_LEAD_MS = 86_400_000;
const END_LEAD_FRACTION = 0.2;
const ENDING = 'relay.connection.ending';

const SUBSCRIPTION_ALERT_AFTER_MS: Partial<Record<SubscriptionState, number>> = { failed: 5_000 };

/** States from which Switchboard recovers by itself. */
const RETRIED: string[] = ['renewal_interrupted', 'unreachable'];

interface Topic {
  type: 'relay.connection.down' | 'relay.subscription.down';
  read: () => { state: string; sentence: string; remedy: string | null };
  alertAfterMs: Partial<Record<string, number>>;
}

/**
 * Raises an alert while Switchboard is disconnected from Co-Pilot, or has no webhook there, against the operator's
 * will.
 */
@Injectable()
export class ConnectionAlertsWorker {
  private readonly topics: Topic[];
  /** The state of each topic, and since when it has lasted, by monotonic time. */
  private readonly observed = new Map<string, { state: string; since: number }>();

  constructor(
    private readonly connection: ConnectionService,
    subscription: SubscriptionService,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
  ) {
    this.topics = [
      {
        type: 'relay.connection.down',
        read: () => connection.state(),
        alertAfterMs: CONNECTION_ALERT_AFTER_MS,
      },
      {
        type: 'relay.subscription.down',
        read: () => subscription.state(),
        alertAfterMs: SUBSCRIPTION_ALERT_AFTER_MS,
      },
    ];
  }

  @Interval(TICK_MS)
  tick(): void {
    for (const topic of this.topics) this.check(topic);
    this.checkEnd();
  }

  /** Access that cannot be renewed is announced before it ends. */
  private checkEnd(): void {
    const { ends_at: endsAt, connected_at: since, sentence, remedy } = this.connection.state();
    const end = Date.parse(endsAt ?? '');
    const leadMs = Math.min(END_LEAD_MS, (end - Date.parse(since ?? '')) * END_LEAD_FRACTION);
    if (endsAt === null || this.clock.now() < end - leadMs) return this.alerts.resolve(ENDING, '', sentence);
    if (this.alerts.active().some(({ type, data }) => type === ENDING && data['ends_at'] === endsAt)) return;
    this.alerts.raise({
      type: ENDING,
      subject: '',
      severity: 'warning',
      sentence,
      remedy: remedy!,
      data: { ends_at: endsAt },
    });
  }

  private check({ type, read, alertAfterMs }: Topic): void {
    const { state, sentence, remedy } = read();
    // A renewal in progress says nothing yet: the state before it continues.
    if (state === 'renewing') return;
    const now = this.clock.monotonic();
    if (this.observed.get(type)?.state !== state) this.observed.set(type, { state, since: now });
    const afterMs = alertAfterMs[state];
    if (afterMs === undefined) return this.alerts.resolve(type, '', sentence);
    if (now - this.observed.get(type)!.since < afterMs || this.isReported(type, state)) return;
    this.alerts.raise({
      type,
      subject: '',
      severity: RETRIED.includes(state) ? 'warning' : 'critical',
      sentence,
      remedy: remedy ?? 'Check the connection in the dashboard.',
      data: { connection_state: state },
    });
  }

  private isReported(type: string, state: string): boolean {
    return this.alerts
      .active()
      .some((alert) => alert.type === type && alert.data['connection_state'] === state);
  }
}
