import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Probe } from '../../contract/probe';
import type { Subscription } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Alerts } from '../events/alerts';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;

/** A single failed probe may be a restart of the tunnel. */
const ALERT_AFTER_FAILURES = 2;

const DAY_MS = 24 * 3_600_000;
const CERTIFICATE_WARNING_MS = 14 * DAY_MS;
const CERTIFICATE_CRITICAL_MS = 3 * DAY_MS;

const UNREACHABLE = 'relay.subscription.unreachable';
const EXPIRING = 'relay.certificate.expiring';

/** Raises alerts when Co-Pilot can no longer reach this hub, and before its certificate expires. */
@Injectable()
export class WatchReachability {
  /** The probe that was last evaluated. */
  private checkedAt: string | null = null;
  /** When the certificate alert was last raised, by monotonic time. */
  private expiringAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly alerts: Alerts,
    private readonly clock: Clock,
  ) {}

  @Interval(TICK_MS)
  tick(): void {
    const { state, probe } = this.subscription.state();
    if (!isExpecting(state)) {
      this.alerts.resolve(UNREACHABLE, '', 'No notifications are expected at the moment.');
      return;
    }
    // An alert raised before a restart stays until a probe has completed.
    if (probe === null || probe.at === this.checkedAt) return;
    this.checkedAt = probe.at;
    this.checkRoute(probe);
    this.checkCertificate(probe);
  }

  private checkRoute({ failures, sentence, remedy, cause }: Probe): void {
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

  private checkCertificate({ certificate_ends_at: ends }: Probe): void {
    if (ends === null) return;
    const leftMs = Date.parse(ends) - this.clock.now();
    if (leftMs > CERTIFICATE_WARNING_MS) {
      this.expiringAt = Number.NEGATIVE_INFINITY;
      this.alerts.resolve(EXPIRING, '', `The certificate is valid until ${ends}.`);
      return;
    }
    if (this.clock.monotonic() - this.expiringAt < DAY_MS) return;
    this.expiringAt = this.clock.monotonic();
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

/** While a webhook is active, or being registered. */
const isExpecting = (state: Subscription['state']) => state !== 'none' && state !== 'paused';
