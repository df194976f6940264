import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ReachabilityCheck } from '../../../contract/reachability';
import { Clock } from '../../ground/clock';
import { Log } from '../../ground/log';
import { Random } from '../../ground/random';
import { Signal } from '../../ground/signal';
import { PublicAddress } from '../../settings/public-address';
import { isSameSecret } from '../../secrets/is-same-secret';
import { HostAddresses } from '../../network/host-addresses';
import { OutgoingProxy } from '../../network/outgoing-proxy';
import { Settings } from '../../settings/settings';
import { SubscriptionService } from '../../subscription/subscription.service';
import { describeCheck } from './describe-check';
import { findCause, type CheckTraffic } from './find-cause';
import type { OnListening } from '../../ground/on-listening';
import { SharedRun } from '../../ground/shared-run';

/** Length of the random key in the URL, and of the expected response. */
const KEY_BYTES = 32;

const TICK_MS = 1_000;
const INTERVAL_MS = 15 * 60_000;
/** A failed check is repeated after this time: an alert is raised only after the second failure. */
const RETRY_AFTER_MS = 60_000;

/**
 * Contains what a proxy changes if it parses and re-serializes JSON: spaces, a large integer, an escape, a line
 * ending.
 */
const BODY = Buffer.from('{ "check" : [1.0, 9007199254740993, "\\u00e9é 📞"] }\r\n');

/** Carries a value like Co-Pilot's signature, in a header that no proxy treats specially. */
const SIGNATURE_LIKE_HEADER = 'x-switchboard-check';

interface PendingCheck {
  key: string;
  expected: string;
  received: CheckTraffic['received'];
}

/**
 * Checks reachability: posts to a one-time URL of this hub through `PUBLIC_URL`, and classifies what is received and
 * returned. Runs for each registration, every 15 minutes while it is active, and on demand. The URL is valid for one
 * check, and never logged.
 */
@Injectable()
export class ReachabilityWorker implements OnListening, OnModuleDestroy {
  private pending: PendingCheck | null = null;
  private readonly runs = new SharedRun(() => this.check());
  private lastCheck: ReachabilityCheck | null = null;
  private checkedUrl: string | null = null;
  /** When the next check is due, by monotonic time. */
  private dueAt = 0;
  /**
   * Whether the request of any check has arrived since startup. Behind a router without hairpin NAT none does,
   * although Co-Pilot can reach the daemon.
   */
  private everReached = false;
  private started = false;
  private readonly checked = new Signal();
  private readonly shutdown = new AbortController();
  private readonly proxy: OutgoingProxy;

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly address: PublicAddress,
    private readonly hosts: HostAddresses,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
    settings: Settings,
  ) {
    this.proxy = new OutgoingProxy(settings);
    subscription.onChange(() => this.tick());
  }

  onListening(): void {
    this.started = true;
    this.tick();
  }

  /** The last completed check since startup. */
  get last(): ReachabilityCheck | null {
    return this.lastCheck;
  }

  /** Calls `listener` after each check. */
  onChecked(listener: () => void): void {
    this.checked.subscribe(listener);
  }

  /** Concurrent callers share one check. */
  run(): Promise<ReachabilityCheck> {
    return this.runs.run();
  }

  /** Whether `key`, the path below `/hooks/`, belongs to the current check. */
  expects(key: string): boolean {
    return this.pending !== null && isSameSecret(key, this.pending.key);
  }

  /** Receives the request of the check. @returns the response body, which only this daemon knows */
  receive(headers: Readonly<Record<string, unknown>>, body: Buffer): string {
    if (this.pending === null) return '';
    this.pending.received = { headers, body };
    return this.pending.expected;
  }

  /** Starts a check if it is due, or if the masked URL shows that the webhook was registered anew. */
  @Interval(TICK_MS)
  tick(): void {
    if (!this.started) return;
    const { state, url } = this.subscription.state();
    if (state !== 'active' || (url === this.checkedUrl && this.clock.monotonic() < this.dueAt)) return;
    this.checkedUrl = url;
    this.run().catch((error: unknown) => this.log.error({ err: error }, 'reachability check failed'));
  }

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    this.shutdown.abort();
    await this.runs.idle();
  }

  private async check(): Promise<ReachabilityCheck> {
    const key = this.random.bytes(KEY_BYTES).toString('base64url');
    const expected = this.random.bytes(KEY_BYTES).toString('base64url');
    const pending: PendingCheck = { key, expected, received: null };
    const { url } = this.address;
    const headers = {
      'content-type': 'application/json',
      [SIGNATURE_LIKE_HEADER]: `sha256=${this.random.bytes(32).toString('hex')}`,
    };
    this.pending = pending;
    this.dueAt = this.clock.monotonic() + INTERVAL_MS;
    // With undici, which a start would otherwise load on this thread.
    const { sendCheckRequest } = await import('./send-check-request.js');
    const { response, certificateEndsAt } = await sendCheckRequest(
      `${url}/hooks/${key}`,
      headers,
      BODY,
      { proxy: this.proxy.for(new URL(url)), lookup: this.hosts.lookup },
      this.shutdown.signal,
    );
    this.pending = null;

    const { received } = pending;
    const cause = findCause({ sent: { headers, body: BODY }, received, response, expected });
    const { last_notification_at: lastNotificationAt } = this.subscription.state();
    const failures =
      cause === null || this.doNotificationsArrive(lastNotificationAt)
        ? 0
        : (this.lastCheck?.failures ?? 0) + 1;
    const classified = { cause, reached: received !== null, response, failures, certificateEndsAt };
    const check = describeCheck(classified, new URL(url).host, this.clock.now(), lastNotificationAt);
    this.record(check);
    return check;
  }

  private record(check: ReachabilityCheck): void {
    const { cause, reached, failures } = check;
    const isNewResult = this.lastCheck === null || this.lastCheck.cause !== cause;
    this.lastCheck = check;
    this.everReached ||= reached;
    if (failures === 1) this.dueAt = this.clock.monotonic() + RETRY_AFTER_MS;
    if (this.shutdown.signal.aborted) return;
    const level = isNewResult ? (cause === null ? 'info' : 'warn') : 'debug';
    this.log[level]({ public_url: this.address.url, cause, failures }, 'reachability check');
    this.checked.emit();
  }

  /** Whether notifications prove that Co-Pilot can reach this daemon, although the check failed. */
  private doNotificationsArrive(lastNotificationAt: string | null): boolean {
    if (lastNotificationAt === null) return false;
    return !this.everReached || lastNotificationAt > (this.lastCheck?.at ?? '');
  }
}
