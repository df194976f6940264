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
import { judgeProbe, type ProbeRequest } from './classify-probe';
import { sendProbe } from './send-probe';

const KEY_BYTES = 32;

const TICK_MS = 1_000;
const EVERY_MS = 15 * 60_000;
/** One that failed is made again so soon, before anybody is alarmed. */
const AGAIN_AFTER_MS = 60_000;

/** Bytes that parsing and writing again would change: spaces, a large integer, an escape, a line's end. */
const BODY = Buffer.from('{ "probe" : [1.0, 9007199254740993, "\\u00e9é 📞"] }\r\n');

/** As Co-Pilot's signature looks, under a name that a proxy knows nothing about. */
const HEADER = 'x-switchboard-probe';

interface UnderWay {
  key: Buffer;
  expected: string;
  arrived: { headers: Readonly<Record<string, unknown>>; body: Buffer } | null;
}

/**
 * Proves the loop: posts to a one-off address of this hub through `PUBLIC_URL`, and tells from what comes in and what comes
 * back whether the outside reaches us, and else what is wrong. Done for each registration, every quarter of an hour while it
 * stands, and on demand. The address is good for one proof, and is never logged.
 */
@Injectable()
export class LoopProof implements OnModuleDestroy {
  private underWay: UnderWay | null = null;
  private running: Promise<Probe> | null = null;
  private last: Probe | null = null;
  private provenFor: string | null = null;
  /** When the next one is due, by monotonic time. */
  private dueAt = 0;
  /** Whether one has come in here since the start: behind some routers none does, though Co-Pilot comes through. */
  private cameThrough = false;
  private started = false;
  private readonly ending = new AbortController();

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly address: PublicAddress,
    private readonly hosts: HostAddresses,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {
    subscription.showAlso(() => ({ probe: this.last }));
    subscription.onChange(() => this.tick());
  }

  /** To be called once the daemon listens. */
  start(): void {
    this.started = true;
    this.tick();
  }

  /** Whoever asks while one is under way waits for that. */
  run(): Promise<Probe> {
    this.running ??= this.prove().finally(() => (this.running = null));
    return this.running;
  }

  /** Whether `key`, what stands behind `/hooks/`, is that of the proof under way. */
  expects(key: string): boolean {
    if (this.underWay === null) return false;
    const given = Buffer.from(key);
    const { key: wanted } = this.underWay;
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  /** Takes what came in under its key. @returns the answer's body, which shows that it was us */
  arrived(headers: Readonly<Record<string, unknown>>, body: Buffer): string {
    if (this.underWay === null) return '';
    this.underWay.arrived = { headers, body };
    return this.underWay.expected;
  }

  /** A new registration is known by its address, key included, which is shown masked. */
  @Interval(TICK_MS)
  tick(): void {
    if (!this.started) return;
    const { state, url } = this.subscription.state();
    if (state !== 'active' || (url === this.provenFor && this.clock.monotonic() < this.dueAt)) return;
    this.provenFor = url;
    this.run().catch((error: unknown) => this.log.error({ err: error }, 'the loop was not proven'));
  }

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    this.ending.abort();
    await this.running;
  }

  private async prove(): Promise<Probe> {
    const key = this.random.bytes(KEY_BYTES).toString('base64url');
    const expected = this.random.bytes(KEY_BYTES).toString('base64url');
    const underWay: UnderWay = { key: Buffer.from(key), expected, arrived: null };
    const { url } = this.address;
    const sent: ProbeRequest = {
      headers: {
        'content-type': 'application/json',
        [HEADER]: `sha256=${this.random.bytes(32).toString('hex')}`,
      },
      body: BODY,
    };
    this.underWay = underWay;
    this.dueAt = this.clock.monotonic() + EVERY_MS;
    const { answer, certificateEndsAt } = await sendProbe(
      `${url}/hooks/${key}`,
      sent.headers,
      sent.body,
      this.hosts.lookup,
      this.ending.signal,
    );
    this.underWay = null;

    const { arrived } = underWay;
    const cause = judgeProbe({ sent, arrived, answer, expected });
    const { last_notification_at: lastNotificationAt } = this.subscription.state();
    const failures = cause === null || this.arrives(lastNotificationAt) ? 0 : (this.last?.failures ?? 0) + 1;
    const found = { cause, reached: arrived !== null, answer, failures, certificateEndsAt };
    const probe = describeProbe(found, new URL(url).host, this.clock.now(), lastNotificationAt);
    this.note(probe);
    return probe;
  }

  private note(probe: Probe): void {
    const { cause, reached, failures } = probe;
    const isNews = this.last === null || this.last.cause !== cause;
    this.last = probe;
    this.cameThrough ||= reached;
    if (failures === 1) this.dueAt = this.clock.monotonic() + AGAIN_AFTER_MS;
    if (this.ending.signal.aborted) return;
    const level = isNews ? (cause === null ? 'info' : 'warn') : 'debug';
    this.log[level]({ public_url: this.address.url, cause, failures }, 'proof of the loop');
    this.subscription.tellChange();
  }

  /** Whether notifications show that Co-Pilot comes through, whatever a proof from inside says. */
  private arrives(lastNotificationAt: string | null): boolean {
    if (lastNotificationAt === null) return false;
    return !this.cameThrough || lastNotificationAt > (this.last?.at ?? '');
  }
}
