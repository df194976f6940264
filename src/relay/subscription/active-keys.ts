import { Injectable } from '@nestjs/common';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { Drifts } from './drifts';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';

/** What intake needs to verify a notification; never to be logged. */
export interface ActiveKey {
  subscriptionId: number;
  secret: string;
  /** The header tried first, in lower case: the one learned, else the one set, else none. */
  signatureHeader: string | null;
}

/** The keys that are good, for the hot path: in memory, without waiting. What is learned from notifications goes through here. */
@Injectable()
export class ActiveKeys {
  private keys = new Map<string, ActiveKey>();
  private readonly learning = new Set<string>();
  private lastNotificationAt: number | null = null;

  constructor(
    private readonly registrations: Registrations,
    private readonly drifts: Drifts,
    private readonly reported: ReportedWebhooks,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {
    registrations.onChange(() => this.rebuild());
    this.rebuild();
  }

  /** A key is good from before its registration is sent until a minute after it was taken down. */
  byKey(key: string): ActiveKey | null {
    return this.keys.get(key) ?? null;
  }

  /**
   * What a notification that was kept aside is verified with: its own subscription's secret, also when that was taken down
   * since, then the others that are good.
   */
  toVerify(subscriptionId: number): ActiveKey[] {
    const own = this.registrations.get(subscriptionId);
    const others = [...this.keys.values()].filter((key) => key.subscriptionId !== subscriptionId);
    if (own === null) return others;
    // One that was taken down learns no more: the header may have been learned by its successor.
    const header = own.signatureHeader ?? this.registrations.current()?.signatureHeader ?? null;
    return [this.activeKey({ ...own, signatureHeader: header }), ...others];
  }

  /** Ms since 1970; null before the first since the start. */
  get lastNotification(): number | null {
    return this.lastNotificationAt;
  }

  /** Notes that a verified notification arrived at `at` (ms since 1970), with the id of the webhook that it names. */
  noteNotification(subscriptionId: number, at: number, webhookId: string | null): void {
    this.lastNotificationAt = at;
    if (webhookId === null) return;
    const registration = this.registrations.get(subscriptionId);
    if (registration?.webhookId === null) this.learnWebhookId(registration, webhookId);
    else if (registration && registration.webhookId !== webhookId)
      this.noteOtherWebhook(registration, webhookId, at);
  }

  private noteOtherWebhook({ id, webhookId: known }: Registration, webhookId: string, at: number): void {
    if (!this.reported.note(webhookId, at)) return;
    this.learn(`other webhook ${webhookId}`, id, () =>
      this.drifts.record({ field: 'webhook_id', before: known ?? '', after: webhookId, outcome: 'kept' }),
    );
  }

  /** A verified notification names its webhook, and proves that the registration stands. */
  private learnWebhookId({ id, state, registeredAt }: Registration, webhookId: string): void {
    const proof = {
      webhookId,
      idConfirmed: false,
      heldActive: true,
      problem: null,
      remedy: null,
      registeredAt: registeredAt ?? this.lastNotificationAt,
    };
    const proven = state === 'registering' || state === 'failed' || state === 'rotating';
    this.learn(`webhook ${id}`, id, () =>
      proven
        ? this.registrations.promote(id, proof)
        : this.registrations.change(id, { webhookId, idConfirmed: false }),
    );
  }

  /** The header in which the HMAC was found. Another than before is accepted, since the HMAC is the proof, and told. */
  learnSignatureHeader(subscriptionId: number, header: string): void {
    const registration = this.registrations.get(subscriptionId);
    const before = registration?.signatureHeader ?? null;
    if (registration === null || before === header) return;
    this.learn(`header ${subscriptionId}`, subscriptionId, async () => {
      await this.registrations.change(subscriptionId, {
        signatureHeader: header,
        ...(before === null ? {} : { signatureHeaderBefore: before }),
      });
      const record = { act: 'signature_header', subscription_id: subscriptionId, header, before };
      this.log.info(record, 'signature header learned');
      if (before !== null)
        await this.drifts.record({ field: 'signature_header', before, after: header, outcome: 'accepted' });
    });
  }

  /** One write at a time for each thing; where it fails, the next notification brings it again. */
  private learn(what: string, subscriptionId: number, write: () => Promise<void>): void {
    if (this.learning.has(what)) return;
    this.learning.add(what);
    write()
      .catch((error: unknown) =>
        this.log.error({ act: 'learn', subscription_id: subscriptionId, err: error }, 'could not be stored'),
      )
      .finally(() => this.learning.delete(what));
  }

  private rebuild(): void {
    const good = this.registrations.all().filter(({ state }) => state !== 'closed');
    this.keys = new Map(good.map((one) => [one.key, this.activeKey(one)]));
  }

  private activeKey({ id, secret, signatureHeader }: Registration): ActiveKey {
    return {
      subscriptionId: id,
      secret,
      signatureHeader: signatureHeader ?? this.settings.copilot.signatureHeader,
    };
  }
}
