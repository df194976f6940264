import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Probe } from '../../../contract/probe';
import { Clock } from '../../ground/clock';
import { Log } from '../../ground/log';
import { Random } from '../../ground/random';
import { PublicAddress } from '../../settings/public-address';
import { HostAddresses } from '../../network/host-addresses';
import { SubscriptionService } from '../../subscription/subscription.service';
import { describeProbe } from './describe-probe';
import { classifyProbe, type ProbeRequest } from './classify-probe';
import { sendProbe } from './send-probe';

const KEY_BYTES = 32;

const TICK_MS = 1_000;
const INTERVAL_MS = 15 * 60_000;
/** A failed probe is repeated after this time, before an alert is raised. */
const RETRY_AFTER_MS = 60_000;

/**
 * Bytes that parsing and re-serializing would change: spaces, a large integer, an escape, a line ending.
 */
const BODY = Buffer.from('{ "probe" : [1.0, 9007199254740993, "\\u00e9é 📞"] }\r\n');

/** Looks like Co-Pilot's signature, under a header name unknown to proxies. */
const HEADER = 'x-switchboard-probe';

interface PendingProbe {
  key: Buffer;
  expected: string;
  received: { headers: Readonly<Record<string, unknown>>; body: Buffer } | null;
}

/**
 * Checks reachability: posts to a one-time URL of this hub through `PUBLIC_URL`, and classifies what is
 * received and returned. Runs for each registration, every 15 minutes while it is active, and on demand.
 * The URL is valid for one probe, and never logged.
 */
@Injectable()
export class ReachabilityProbe implements OnModuleDestroy {
  private pending: PendingProbe | null = null;
  private running: Promise<Probe> | null = null;
  private last: Probe | null = null;
  private probedUrl: string | null = null;
  /** When the next probe is due, by monotonic time. */
  private dueAt = 0;
  /**
   * Whether any probe was received since startup: without hairpin NAT none is, although Co-Pilot gets
   * through.
   */
  private everReached = false;
  private started = false;
  private readonly shutdown = new AbortController();

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly address: PublicAddress,
    private readonly hosts: HostAddresses,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {
    subscription.extendState(() => ({ probe: this.last }));
    subscription.onChange(() => this.tick());
  }

  /** Called once the daemon listens. */
  start(): void {
    this.started = true;
    this.tick();
  }

  /** Concurrent callers share one probe. */
  run(): Promise<Probe> {
    this.running ??= this.probe().finally(() => (this.running = null));
    return this.running;
  }

  /** Whether `key`, the path below `/hooks/`, belongs to the current probe. */
  expects(key: string): boolean {
    if (this.pending === null) return false;
    const given = Buffer.from(key);
    const { key: wanted } = this.pending;
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  /** Receives the request of the probe. @returns the response body, which proves that it was this hub */
  receive(headers: Readonly<Record<string, unknown>>, body: Buffer): string {
    if (this.pending === null) return '';
    this.pending.received = { headers, body };
    return this.pending.expected;
  }

  /** A new registration is recognized by its masked URL. */
  @Interval(TICK_MS)
  tick(): void {
    if (!this.started) return;
    const { state, url } = this.subscription.state();
    if (state !== 'active' || (url === this.probedUrl && this.clock.monotonic() < this.dueAt)) return;
    this.probedUrl = url;
    this.run().catch((error: unknown) => this.log.error({ err: error }, 'reachability probe failed'));
  }

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    this.shutdown.abort();
    await this.running;
  }

  private async probe(): Promise<Probe> {
    const key = this.random.bytes(KEY_BYTES).toString('base64url');
    const expected = this.random.bytes(KEY_BYTES).toString('base64url');
    const pending: PendingProbe = { key: Buffer.from(key), expected, received: null };
    const { url } = this.address;
    const sent: ProbeRequest = {
      headers: {
        'content-type': 'application/json',
        [HEADER]: `sha256=${this.random.bytes(32).toString('hex')}`,
      },
      body: BODY,
    };
    this.pending = pending;
    this.dueAt = this.clock.monotonic() + INTERVAL_MS;
    const { response, certificateEndsAt } = await sendProbe(
      `${url}/hooks/${key}`,
      sent.headers,
      sent.body,
      this.hosts.lookup,
      this.shutdown.signal,
    );
    this.pending = null;

    const { received } = pending;
    const cause = classifyProbe({ sent, received, response, expected });
    const { last_notification_at: lastNotificationAt } = this.subscription.state();
    const failures =
      cause === null || this.notificationsArrive(lastNotificationAt) ? 0 : (this.last?.failures ?? 0) + 1;
    const classified = { cause, reached: received !== null, response, failures, certificateEndsAt };
    const probe = describeProbe(classified, new URL(url).host, this.clock.now(), lastNotificationAt);
    this.record(probe);
    return probe;
  }

  private record(probe: Probe): void {
    const { cause, reached, failures } = probe;
    const isNew = this.last === null || this.last.cause !== cause;
    this.last = probe;
    this.everReached ||= reached;
    if (failures === 1) this.dueAt = this.clock.monotonic() + RETRY_AFTER_MS;
    if (this.shutdown.signal.aborted) return;
    const level = isNew ? (cause === null ? 'info' : 'warn') : 'debug';
    this.log[level]({ public_url: this.address.url, cause, failures }, 'reachability probe');
    this.subscription.notifyChanged();
  }

  /** Whether notifications prove that Co-Pilot gets through, whatever the probe from inside says. */
  private notificationsArrive(lastNotificationAt: string | null): boolean {
    if (lastNotificationAt === null) return false;
    return !this.everReached || lastNotificationAt > (this.last?.at ?? '');
  }
}
