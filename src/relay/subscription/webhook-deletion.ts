import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { TimeBounds } from '../ground/time-bounds';
import { urlContainsKey } from './read-webhooks';
import { isKeyExpired, type Registration } from './registration';
import { RegistrationStore } from './registration.store';
import { ReportedWebhooks } from './reported-webhooks';
import { WebhookApi } from './webhook-api';

/** A webhook whose id is unknown, and that no list has shown for a day, is assumed not to exist. */
const UNSEEN_LIMIT_MS = 86_400_000;
/** A surplus webhook only sends duplicates, so there is no hurry: one is deleted per minute. */
const SURPLUS_DELETION_INTERVAL_MS = 60_000;
/** Secrets of this many deleted webhooks are kept to recheck quarantined notifications. */
const MAX_CLOSED = 10;

const NOT_LISTED =
  "The id of our webhook is not known from Co-Pilot's API, and its list does not contain the webhook.";

/** `unseen`: its id is unknown and the list does not show it, so it may not exist at all. */
type DeletionOutcome = { kind: 'gone' | 'unseen' } | { kind: 'failed'; reason: string };

/**
 * Deletes our webhooks that are no longer needed. Ours are those whose id the API returned on creation, and those
 * listed with one of our keys in the URL. Any other is deleted only on the operator's request.
 */
@Injectable()
export class WebhookDeletion {
  /** When a surplus webhook was last deleted, by monotonic time. */
  private surplusDeletedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly api: WebhookApi,
    private readonly reported: ReportedWebhooks,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** @returns whether no deletion failed. @throws RelayError `storage_failed` */
  async deleteReplaced(replaced: readonly Registration[]): Promise<boolean> {
    let succeeded = true;
    for (const one of replaced) {
      const outcome = await this.deleteOne(one);
      const problem = outcome.kind === 'failed' ? outcome.reason : null;
      const ids = { subscription_id: one.id, webhook_id: one.webhookId };
      this.log[problem === null ? 'info' : 'warn'](
        { action: 'delete_replaced', ...ids, outcome: outcome.kind, problem },
        'replaced webhook deletion',
      );
      if (outcome.kind === 'gone') await this.markDeleted(one);
      if (outcome.kind === 'failed') succeeded = false;
    }
    return succeeded;
  }

  /** @returns `nothing` if there was none, or why one could not be deleted. @throws RelayError `storage_failed` */
  async deleteAll(): Promise<'removed' | 'nothing' | { failed: string }> {
    const ours = this.registrations.all().filter(({ state }) => state !== 'gone' && state !== 'closed');
    for (const one of ours) {
      const outcome = await this.deleteOne(one);
      if (outcome.kind === 'failed') return { failed: outcome.reason };
      if (outcome.kind === 'unseen' && one.state === 'active') return { failed: NOT_LISTED };
      if (outcome.kind === 'unseen') await this.registrations.update(one.id, { state: 'replaced' });
      else await this.markDeleted(one);
    }
    return ours.length === 0 ? 'nothing' : 'removed';
  }

  /**
   * A create that was repeated because its response was lost may have left two webhooks at our URL. All but the known
   * one are deleted, one a minute; if the list does not contain the known id, its ids mean something else, and
   * nothing is touched.
   * @param listed the listed ids at our URL
   */
  async deleteSurplus({ id }: Registration, listed: readonly string[]): Promise<void> {
    const known = this.registrations.get(id)?.webhookId ?? null;
    if (known === null || !listed.includes(known)) return;
    const surplus = listed.find((webhookId) => webhookId !== known);
    const now = this.clock.monotonic();
    if (surplus === undefined || now - this.surplusDeletedAt < SURPLUS_DELETION_INTERVAL_MS) return;
    this.surplusDeletedAt = now;
    const outcome = await this.api.delete(surplus);
    this.log.warn(
      { action: 'delete_surplus', subscription_id: id, webhook_id: surplus, outcome: outcome.kind },
      'surplus webhook deletion',
    );
  }

  /**
   * Deletes a webhook known only from notifications, on the operator's request.
   * @returns why it could not be deleted; null if it was @throws RelayError `storage_failed`
   */
  async deleteReported(webhookId: string): Promise<string | null> {
    const outcome = await this.api.delete(webhookId);
    this.log.warn(
      { action: 'delete_reported', webhook_id: webhookId, outcome: outcome.kind },
      'reported webhook deletion',
    );
    if (outcome.kind === 'unclear') return outcome.reason;
    this.reported.delete(webhookId);
    for (const one of this.registrations.replaced())
      if (one.webhookId === webhookId) await this.markDeleted(one);
    return null;
  }

  /**
   * Closes deleted registrations whose grace period is over, and drops the oldest closed ones.
   * @throws RelayError `storage_failed`
   */
  async expireKeys(): Promise<void> {
    const now = this.bounds.latest();
    for (const one of this.registrations.all())
      if (isKeyExpired(one, now)) await this.registrations.update(one.id, { state: 'closed' });
    const closed = this.registrations.all().filter(({ state }) => state === 'closed');
    for (const one of closed.slice(0, -MAX_CLOSED)) await this.registrations.delete(one.id);
  }

  private markDeleted({ id }: Registration): Promise<void> {
    return this.registrations.update(id, { state: 'gone', closedAt: this.bounds.latest() });
  }

  /** Checks the list too: a create whose response was lost may have left a second webhook. */
  private async deleteOne(one: Registration): Promise<DeletionOutcome> {
    const found = await this.api.list();
    if (found.kind === 'unclear' && one.webhookId === null) return { kind: 'failed', reason: found.reason };
    const listed =
      found.kind === 'listed' ? found.webhooks.filter((shown) => urlContainsKey(shown, one.key)) : [];
    const knownIds = [one.idConfirmed ? one.webhookId : null, ...listed.map(({ webhookId }) => webhookId)];
    const ids = new Set(knownIds.filter((id) => id !== null));
    if (listed.length > 0 && ids.size === 0)
      return { kind: 'failed', reason: 'Co-Pilot lists it without an id.' };
    for (const id of ids) {
      const outcome = await this.api.delete(id);
      if (outcome.kind === 'unclear') return { kind: 'failed', reason: outcome.reason };
    }
    if (ids.size > 0) return { kind: 'gone' };
    // A webhook that sent notifications exists, until the list shows it or the operator deletes it.
    const unseenTooLong = one.webhookId === null && this.bounds.ageOf(one.createdAt) >= UNSEEN_LIMIT_MS;
    return { kind: unseenTooLong ? 'gone' : 'unseen' };
  }
}
