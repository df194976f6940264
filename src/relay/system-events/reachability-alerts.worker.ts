import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ReachabilityCheck } from '../../contract/reachability';
import { Clock } from '../ground/clock';
import { AlertsService } from '../events/alerts.service';
import { ReachabilityWorker } from '../diagnostics/reachability/reachability.worker';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;

/** A single failed check may be caused by a restart of the tunnel. */
const ALERT_AFTER_FAILURES = 2;

const DAY_MS = 24 * 3_600_000;
const CERTIFICATE_WARNING_MS = 14 * DAY_MS;
const CERTIFICATE_CRITICAL_MS = 3 * DAY_MS;

const UNREACHABLE = 'relay.subscription.unreachable';
const EXPIRING = 'relay.certificate.expiring';

/** Raises alerts when Co-Pilot can no longer reach this hub, and before its certificate expires. */
@Injectable()
export class ReachabilityAlertsWorker {
  /** The time of the reachability check that was last evaluated. */
  private evaluatedAt: string | null = null;
  /** When the certificate alert was last raised, by monotonic time. */
  private certificateAlertAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly reachability: ReachabilityWorker,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
  ) {}

  @Interval(TICK_MS)
  tick(): void {
    // Without a webhook that is active or being registered.
    if (['none', 'paused'].includes(this.subscription.state().state))
      return this.alerts.resolve(UNREACHABLE, '', 'No notifications are expected at the moment.');
    // An alert that was raised before a restart stays until a check has completed.
    const { last: check } = this.reachability;
    if (check === null || check.at === this.evaluatedAt) return;
    this.evaluatedAt = check.at;
    this.evaluateReachability(check);
    this.evaluateCertificate(check);
  }

  private evaluateReachability({ failures, sentence, remedy, cause }: ReachabilityCheck): void {
    if (failures === 0) this.alerts.resolve(UNREACHABLE, '', 'This hub is reachable from outside again.');
    if (failures < ALERT_AFTER_FAILURES) return;
    this.alerts.raise({
      type: UNREACHABLE,
      subject: '',
      severity: 'critical',
      sentence: `Co-Pilot probably cannot reach this hub. ${sentence}`,
      remedy: remedy ?? 'Check what lies between PUBLIC_URL and this hub.',
      data: { cause, failures },
    });
  }

  private evaluateCertificate({ certificate_ends_at: ends }: ReachabilityCheck): void {
    if (ends === null) return;
    const leftMs = Date.parse(ends) - this.clock.now();
    if (leftMs > CERTIFICATE_WARNING_MS) {
      this.certificateAlertAt = Number.NEGATIVE_INFINITY;
      return this.alerts.resolve(EXPIRING, '', `The certificate is valid until ${ends}.`);
    }
    if (this.clock.monotonic() - this.certificateAlertAt < DAY_MS) return;
    this.certificateAlertAt = this.clock.monotonic();
    this.alerts.raise({
      type: EXPIRING,
      subject: '',
      severity: leftMs > CERTIFICATE_CRITICAL_MS ? 'warning' : 'critical',
      sentence: `The certificate of PUBLIC_URL expires at ${ends}; Co-Pilot will probably stop sending then.`,
      remedy:
        'Renew it where TLS is terminated (reverse proxy or tunnel), and find out why it is not renewed automatically.',
      data: { ends_at: ends },
    });
  }
}
