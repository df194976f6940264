import { Injectable } from '@nestjs/common';
import { LeaderLink } from '../ground/leader-link';
import { Leadership } from '../ground/leadership';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { DriftStore } from './drift.store';
import type { Registration, RegistrationChange } from './registration';
import { RegistrationStore } from './registration.store';
import { ReportedWebhooks } from './reported-webhooks';

/** Of a webhook's key, and of that of a reachability check. */
const FORM = /^[\w-]{43}$/;

/** Between two reads of the database for unknown keys, which anyone may send. */
const LOOKUP_PAUSE_MS = 1_000;

/** What intake needs to verify a notification; never to be logged. */
export interface ActiveKey {
  subscriptionId: number;
  secret: string;
  /** The header to check first, in lower case: the one learned or configured; null without either. */
  signatureHeader: string | null;
}

/** What a verified notification reveals about its webhook. */
export interface VerifiedNotification {
  subscriptionId: number;
  /** The header with its signature. */
  header: string;
  webhookId: string | null;
  /** When it arrived, in ms since 1970. */
  at: number;
}

/**
 * The accepted keys, in memory, because each notification needs one. Also stores what notifications reveal about
 * their webhook: its id and its signature header.
 */
@Injectable()
export class ActiveKeys {
  private keys = new Map<string, ActiveKey>();
  private readonly writesInProgress = new Set<string>();
  private lastNotificationAt: number | null = null;
  /** Has not begun to read yet. */
  private nextLookup: Promise<void> | null = null;
  private lookupPause: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly drifts: DriftStore,
    private readonly reported: ReportedWebhooks,
    private readonly settings: Settings,
    private readonly leadership: Leadership,
    private readonly leaderLink: LeaderLink,
    private readonly log: Log,
  ) {
    registrations.onChange(() => this.rebuild());
    leaderLink.onMessage((message) => {
      if (message.kind === 'notification') this.recordVerified(message);
    });
    this.rebuild();
  }

  /** A key is accepted from before its registration is sent until one minute after its webhook is deleted. */
  byKey(key: string): ActiveKey | null {
    return this.keys.get(key) ?? null;
  }

  /** Whether `key` may be one that only another daemon knows. */
  mayBeOfOtherDaemon(key: string): boolean {
    return this.leadership.isShared && FORM.test(key);
  }

  /** A key that is not in memory, but another daemon may have registered. Takes a second if others were asked for. */
  async findRegistered(key: string): Promise<ActiveKey | null> {
    if (!this.mayBeOfOtherDaemon(key)) return null;
    await (this.nextLookup ??= this.lookUp());
    return this.byKey(key);
  }

  private async lookUp(): Promise<void> {
    await this.lookupPause;
    this.nextLookup = null;
    this.lookupPause = new Promise((resolve) => setTimeout(resolve, LOOKUP_PAUSE_MS).unref());
    await this.registrations.reload();
  }

  /**
   * The keys to verify a quarantined notification with: its own subscription's, even if that was deleted since, then
   * the other accepted ones.
   */
  verificationKeys(subscriptionId: number): ActiveKey[] {
    const own = this.registrations.get(subscriptionId);
    const others = [...this.keys.values()].filter((key) => key.subscriptionId !== subscriptionId);
    if (own === null) return others;
    // No notifications arrive for a deleted registration, so only its successor may have learned the header.
    const signatureHeader = own.signatureHeader ?? this.registrations.current()?.signatureHeader ?? null;
    return [this.activeKey({ ...own, signatureHeader }), ...others];
  }

  /** When the last verified notification arrived, in ms since 1970; null if none has since startup. */
  get lastNotification(): number | null {
    return this.lastNotificationAt;
  }

  /** Stores what a verified notification reveals, or sends it to the leader, which alone changes registrations. */
  recordVerified(notification: VerifiedNotification): void {
    const { subscriptionId, header, webhookId, at } = notification;
    if (!this.leadership.leads) {
      const what = `${subscriptionId} ${header} ${webhookId}`;
      return this.leaderLink.send({ kind: 'notification', ...notification }, what);
    }
    this.learnSignatureHeader(subscriptionId, header);
    this.recordNotification(subscriptionId, at, webhookId);
  }

  /** Records that a verified notification with this webhook id arrived at `at` (ms since 1970). */
  recordNotification(subscriptionId: number, at: number, webhookId: string | null): void {
    this.lastNotificationAt = at;
    if (webhookId === null) return;
    const registration = this.registrations.get(subscriptionId);
    if (registration?.webhookId === null) this.learnWebhookId(registration, webhookId);
    else if (registration && registration.webhookId !== webhookId)
      this.recordOtherWebhook(registration, webhookId, at);
  }

  private recordOtherWebhook({ id, webhookId: known }: Registration, webhookId: string, at: number): void {
    if (!this.reported.record(webhookId, at)) return;
    this.storeOnce(`other webhook ${webhookId}`, id, () =>
      this.drifts.record({ field: 'webhook_id', before: known ?? '', after: webhookId, outcome: 'kept' }),
    );
  }

  /** A verified notification contains its webhook id, and proves that the webhook is registered. */
  private learnWebhookId({ id, state, registeredAt }: Registration, webhookId: string): void {
    const change: RegistrationChange = {
      webhookId,
      idConfirmed: false,
      lastKnownActive: true,
      problem: null,
      remedy: null,
      registeredAt: registeredAt ?? this.lastNotificationAt,
    };
    const isPending = state === 'registering' || state === 'failed' || state === 'rotating';
    this.storeOnce(`webhook ${id}`, id, () =>
      isPending
        ? this.registrations.makeCurrent(id, change)
        : this.registrations.update(id, { webhookId, idConfirmed: false }),
    );
  }

  /**
   * Stores the header in which the HMAC was found. A changed header is accepted, since the HMAC is the proof, and
   * recorded as drift.
   */
  learnSignatureHeader(subscriptionId: number, header: string): void {
    const registration = this.registrations.get(subscriptionId);
    const before = registration?.signatureHeader ?? null;
    if (registration === null || before === header) return;
    this.storeOnce(`header ${subscriptionId}`, subscriptionId, async () => {
      await this.registrations.update(subscriptionId, {
        signatureHeader: header,
        ...(before === null ? {} : { previousSignatureHeader: before }),
      });
      const record = { action: 'signature_header', subscription_id: subscriptionId, header, before };
      this.log.info(record, 'signature header learned');
      if (before !== null)
        await this.drifts.record({ field: 'signature_header', before, after: header, outcome: 'accepted' });
    });
  }

  /** One write at a time per value; if it fails, the next notification triggers it again. */
  private storeOnce(what: string, subscriptionId: number, write: () => Promise<void>): void {
    if (this.writesInProgress.has(what)) return;
    this.writesInProgress.add(what);
    write()
      .catch((error: unknown) =>
        this.log.error(
          { action: 'learn', subscription_id: subscriptionId, err: error },
          'learned value not stored',
        ),
      )
      .finally(() => this.writesInProgress.delete(what));
  }

  private rebuild(): void {
    const accepted = this.registrations.all().filter(({ state }) => state !== 'closed');
    this.keys = new Map(accepted.map((one) => [one.key, this.activeKey(one)]));
  }

  private activeKey({ id, secret, signatureHeader }: Registration): ActiveKey {
    return {
      subscriptionId: id,
      secret,
      signatureHeader: signatureHeader ?? this.settings.copilot.signatureHeader,
    };
  }
}
