import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Probe } from '../../contract/probe';
import { Clock } from '../clock';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { PublicAddress } from '../settings/public-address';
import { SubscriptionService } from '../subscription/subscription.service';
import { describeProbe } from './describe-probe';
import { judgeProbe, type ProbeRequest } from './judge-probe';
import { sendProbe } from './send-probe';

const KEY_BYTES = 32;

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
 * back whether the outside reaches us, and else what is wrong. Done once for each registration, and on demand. The address
 * is good for one proof, and is never logged.
 */
@Injectable()
export class LoopProof implements OnModuleDestroy {
  private underWay: UnderWay | null = null;
  private running: Promise<Probe> | null = null;
  private last: Probe | null = null;
  private provenFor: string | null = null;
  private started = false;
  private readonly ending = new AbortController();

  constructor(
    private readonly subscription: SubscriptionService,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
  ) {
    subscription.showAlso(() => ({ probe: this.last }));
    subscription.onChange(() => this.proveNew());
  }

  /** To be called once the daemon listens. */
  start(): void {
    this.started = true;
    this.proveNew();
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

  async onModuleDestroy(): Promise<void> {
    this.started = false;
    this.ending.abort();
    await this.running;
  }

  /** Once for each registration: its address, key included, is another each time, and shown masked. */
  private proveNew(): void {
    const { state, url } = this.subscription.state();
    if (!this.started || state !== 'active' || url === this.provenFor) return;
    this.provenFor = url;
    void this.run();
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
    const answer = await sendProbe(`${url}/hooks/${key}`, sent.headers, sent.body, this.ending.signal);
    this.underWay = null;

    const { arrived } = underWay;
    const cause = judgeProbe({ sent, arrived, answer, expected });
    const found = { cause, reached: arrived !== null, answer };
    const { last_notification_at: lastNotificationAt } = this.subscription.state();
    const probe = describeProbe(found, new URL(url).host, this.clock.now(), lastNotificationAt);
    this.last = probe;
    if (!this.ending.signal.aborted) {
      this.log[cause === null ? 'info' : 'warn']({ public_url: url, cause }, 'proof of the loop');
      this.subscription.tellChange();
    }
    return probe;
  }
}
