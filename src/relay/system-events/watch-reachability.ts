import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Probe } from '../../contract/probe';
import type { Subscription } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Alerts } from '../events/alerts';
import { SubscriptionService } from '../subscription/subscription.service';

const TICK_MS = 1_000;

/** A single proof may have met a restart of the tunnel. */
const FAILURES_ALARMING = 2;

const DAY_MS = 24 * 3_600_000;
const CERTIFICATE_ALARMING_MS = 14 * DAY_MS;
const CERTIFICATE_CRITICAL_MS = 3 * DAY_MS;

const UNREACHABLE = 'relay.subscription.unreachable';
const EXPIRING = 'relay.certificate.expiring';

/** Raises alerts where Co-Pilot cannot come through to us any more, and before it cannot because of a certificate. */
@Injectable()
export class WatchReachability {
  /** The proof that was last looked at. */
  private seen: string | null = null;
  /** When the certificate was last told of, by monotonic time. */
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
      this.alerts.resolve(UNREACHABLE, '', 'Nothing is to come in at the moment.');
      return;
    }
    // What was raised before a start stays until a proof tells.
    if (probe === null || probe.at === this.seen) return;
    this.seen = probe.at;
    this.judgeWay(probe);
    this.judgeCertificate(probe);
  }

  private judgeWay({ failures, sentence, remedy, cause }: Probe): void {
    if (failures === 0) this.alerts.resolve(UNREACHABLE, '', 'The outside reaches this hub again.');
    if (failures < FAILURES_ALARMING) return;
    this.alerts.raise({
      type: UNREACHABLE,
      subject: '',
      severity: 'critical',
      sentence: `Co-Pilot cannot reach this hub, as far as can be told from here. ${sentence}`,
      remedy: remedy ?? 'Look at what stands between PUBLIC_URL and this hub.',
      data: { cause, failures },
    });
  }

  private judgeCertificate({ certificate_ends_at: ends }: Probe): void {
    if (ends === null) return;
    const leftMs = Date.parse(ends) - this.clock.now();
    if (leftMs > CERTIFICATE_ALARMING_MS) {
      this.expiringAt = Number.NEGATIVE_INFINITY;
      this.alerts.resolve(EXPIRING, '', `The certificate is good until ${ends}.`);
      return;
    }
    if (this.clock.monotonic() - this.expiringAt < DAY_MS) return;
    this.expiringAt = this.clock.monotonic();
    this.alerts.raise({
      type: EXPIRING,
      subject: '',
      severity: leftMs > CERTIFICATE_CRITICAL_MS ? 'warning' : 'critical',
      sentence: `The certificate of PUBLIC_URL ends at ${ends}; from then on Co-Pilot can be expected to send nothing here.`,
      remedy:
        'Renew it where https ends (reverse proxy or tunnel), and see why that does not happen by itself.',
      data: { ends_at: ends },
    });
  }
}

/** While a webhook stands that sends, or is being made anew. */
const isExpecting = (state: Subscription['state']) => state !== 'none' && state !== 'paused';
