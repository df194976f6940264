import { Injectable } from '@nestjs/common';
import type { Drift } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { DriftStore } from './drift.store';
import { ForeignWebhooks, maskUrl } from './foreign-webhooks';
import { urlContainsKey, type ListedWebhook } from './read-webhooks';
import { maskedWebhookUrl, type Registration } from './registration';
import { RegistrationStore } from './registration.store';
import { WebhookDeletion } from './webhook-deletion';
import { WebhookApi, type WebhookFields } from './webhook-api';

/**
 * `as_wanted`: it has the desired settings. `gone`: it no longer exists. `moved`: its URL was changed. `unclear`:
 * Co-Pilot's response was inconclusive. `id_unknown`: its id is not known, so it cannot be checked.
 */
export type VerificationOutcome = 'as_wanted' | 'gone' | 'moved' | 'unclear' | 'id_unknown';

/** Checks an active registration at Co-Pilot, restores its settings, and records what had changed. */
@Injectable()
export class WebhookVerification {
  private readonly listeners: ((since: number) => Promise<void>)[] = [];

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly api: WebhookApi,
    private readonly drifts: DriftStore,
    private readonly foreign: ForeignWebhooks,
    private readonly deletion: WebhookDeletion,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Calls `listener`, and waits for it, before a webhook that does not send is repaired. @param since ms since 1970 */
  onNotSending(listener: (since: number) => Promise<void>): void {
    this.listeners.push(listener);
  }

  /**
   * The list comes first: it alone shows what somebody changed, which the update then overwrites. The update with the
   * desired values is the only documented request about a single webhook (4.5), so it is the only proof that it
   * exists. The list is no such proof, as there may be more pages.
   * @throws RelayError `storage_failed`
   */
  async verify(current: Registration): Promise<VerificationOutcome> {
    const found = await this.api.list();
    const listed = found.kind === 'listed' ? found.webhooks : [];
    if (found.kind === 'listed') this.foreign.update(listed);
    const known = listed.find(({ webhookId }) => webhookId !== null && webhookId === current.webhookId);
    const atOurUrl = listed.filter((one) => urlContainsKey(one, current.key));
    const wasActive = !current.paused && current.lastKnownActive !== false;
    if (known?.active === false && wasActive) await this.reportNotSending(current);
    if (known !== undefined && (await this.hasMoved(current, known))) return 'moved';

    const outcome = await this.update(current, known, atOurUrl);
    const webhookId = this.registrations.get(current.id)?.webhookId ?? null;
    const record = { action: 'check', subscription_id: current.id, webhook_id: webhookId, outcome };
    this.log.info(record, 'webhook checked');
    if (outcome === 'gone') {
      await this.reportNotSending(current);
      await this.recordDeletion(current);
    }
    return outcome;
  }

  private async update(
    current: Registration,
    known: ListedWebhook | undefined,
    atOurUrl: readonly ListedWebhook[],
  ): Promise<VerificationOutcome> {
    const wanted: WebhookFields = { events: this.settings.copilot.events, active: !current.paused };
    const listedIds = atOurUrl.map(({ webhookId }) => webhookId).filter((id) => id !== null);
    let outcome: VerificationOutcome = 'id_unknown';
    for (const webhookId of candidateIds(current, known, listedIds)) {
      const updated = await this.api.update(webhookId, wanted);
      if (updated.kind === 'unclear') {
        await this.registrations.update(current.id, { problem: updated.reason, remedy: updated.remedy });
        return 'unclear';
      }
      if (updated.kind === 'gone') {
        // An id known only from a notification, and never confirmed, may not be an id of the API.
        const existed = current.idConfirmed || current.checkedAt !== null || listedIds.includes(webhookId);
        if (existed) outcome = 'gone';
        continue;
      }
      await this.recordDrift(current, known, wanted, updated.webhook);
      await this.registrations.update(current.id, {
        webhookId,
        idConfirmed:
          (current.idConfirmed && webhookId === current.webhookId) ||
          listedIds.includes(webhookId) ||
          (updated.webhook !== null && urlContainsKey(updated.webhook, current.key)),
        events: updated.webhook?.events ?? wanted.events,
        lastKnownActive: updated.webhook?.active ?? wanted.active,
        urlSeen: current.urlSeen || listedIds.includes(webhookId),
        problem: null,
        remedy: null,
        checkedAt: this.clock.now(),
      });
      await this.deletion.deleteSurplus(current, listedIds);
      return 'as_wanted';
    }
    return outcome;
  }

  /** A URL cannot be updated (document, 4.5). It has changed only if it was listed as ours before. */
  private async hasMoved(current: Registration, known: ListedWebhook): Promise<boolean> {
    if (!current.urlSeen || known.url === null || urlContainsKey(known, current.key)) return false;
    await this.reportNotSending(current);
    const [before, after] = [maskedWebhookUrl(current), maskUrl(known.url)];
    await this.drifts.record({ field: 'url', before, after, outcome: 'repaired' });
    return true;
  }

  /** It was last seen by the last successful check. */
  private async reportNotSending({ paused, ...current }: Registration): Promise<void> {
    const since = current.checkedAt ?? current.registeredAt ?? current.createdAt;
    if (!paused) for (const listener of this.listeners) await listener(since);
  }

  private recordDeletion({ webhookId }: Registration): Promise<void> {
    const before = webhookId ?? 'registered';
    return this.drifts.record({ field: 'webhook', before, after: 'deleted', outcome: 'repaired' });
  }

  /** @param found as listed @param now as returned by the update */
  private async recordDrift(
    stored: Registration,
    found: ListedWebhook | undefined,
    wanted: WebhookFields,
    now: ListedWebhook | null,
  ): Promise<void> {
    await this.compare('events', format(stored.events), format(found?.events), 'repaired');
    await this.compare('active', format(stored.lastKnownActive), format(found?.active), 'repaired');
    await this.compare('events', format(wanted.events), format(now?.events), 'kept');
    await this.compare('active', format(wanted.active), format(now?.active), 'kept');
  }

  private async compare(
    field: Drift['field'],
    before: string | null,
    after: string | null,
    outcome: Drift['outcome'],
  ): Promise<void> {
    if (before === null || after === null || before === after) return;
    await this.drifts.record({ field, before, after, outcome });
  }
}

/**
 * The ids that may belong to our webhook, the most likely first. An id known only from a notification comes last, and
 * is skipped if it is listed with a URL that is not ours.
 */
function candidateIds(
  { webhookId, idConfirmed }: Registration,
  known: ListedWebhook | undefined,
  listedIds: readonly string[],
): Set<string> {
  const own = webhookId === null || (!idConfirmed && known !== undefined) ? [] : [webhookId];
  return new Set(idConfirmed ? [...own, ...listedIds] : [...listedIds, ...own]);
}

function format(value: readonly string[] | boolean | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'active' : 'paused';
  return [...new Set(value)].toSorted().join(', ');
}
