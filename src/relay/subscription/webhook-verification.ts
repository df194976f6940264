import { Injectable } from '@nestjs/common';
import type { Drift } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { Drifts } from './drifts';
import { ForeignWebhooks, maskAddress } from './unknown-webhooks';
import { carriesKey, type ShownWebhook } from './read-webhooks';
import { maskedAddressOf, type Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './webhook-deletion';
import { WebhookApi, type WebhookFields } from './webhook-api';

/** `unknown`: Co-Pilot has not told its id yet, so nothing can be asked. `moved`: somebody gave it another address. */
export type CheckOutcome = 'as_wanted' | 'gone' | 'moved' | 'unclear' | 'unknown';

/** Finds an active registration again and sets it as wanted. */
@Injectable()
export class Checking {
  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly drifts: Drifts,
    private readonly foreign: ForeignWebhooks,
    private readonly removal: Removal,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * The list comes first: an update overwrites what somebody has changed, and it alone would show what that was. Then the
   * update, with the values as they are wanted: the one request about a single webhook that the document has (4.5), so the
   * one proof that it is still there; where nothing has changed it changes nothing. The list is no such proof, as there may
   * be more pages.
   * @throws RelayError `storage_failed`
   */
  async check(current: Registration): Promise<CheckOutcome> {
    const found = await this.api.list();
    const listed = found.kind === 'listed' ? found.webhooks : [];
    if (found.kind === 'listed') this.foreign.note(listed);
    const known = listed.find(({ webhookId }) => webhookId !== null && webhookId === current.webhookId);
    const atOurs = listed.filter((one) => carriesKey(one, current.key));
    if (known !== undefined && (await this.hasMoved(current, known))) return 'moved';

    const outcome = await this.update(current, known, atOurs);
    const webhookId = this.registrations.get(current.id)?.webhookId ?? null;
    this.log.info(
      { act: 'check', subscription_id: current.id, webhook_id: webhookId, outcome },
      'the registration was checked',
    );
    return outcome;
  }

  private async update(
    current: Registration,
    known: ShownWebhook | undefined,
    atOurs: readonly ShownWebhook[],
  ): Promise<CheckOutcome> {
    const wanted: WebhookFields = { events: this.settings.copilot.events, active: !current.paused };
    const listedIds = atOurs.map(({ webhookId }) => webhookId).filter((id) => id !== null);
    let outcome: CheckOutcome = 'unknown';
    for (const webhookId of idsToTry(current, known, listedIds)) {
      const updated = await this.api.update(webhookId, wanted);
      if (updated.kind === 'unclear') {
        await this.registrations.change(current.id, { problem: updated.why, remedy: updated.remedy });
        return 'unclear';
      }
      if (updated.kind === 'gone') {
        // What a notification alone has told, and never was answered for, may be no id that the API knows.
        const wasThere = current.idConfirmed || current.checkedAt !== null || listedIds.includes(webhookId);
        if (wasThere) outcome = 'gone';
        continue;
      }
      await this.recordDrift(current, known, wanted, updated.shown);
      await this.registrations.change(current.id, {
        webhookId,
        idConfirmed:
          (current.idConfirmed && webhookId === current.webhookId) ||
          listedIds.includes(webhookId) ||
          (updated.shown !== null && carriesKey(updated.shown, current.key)),
        events: updated.shown?.events ?? wanted.events,
        heldActive: updated.shown?.active ?? wanted.active,
        addressSeen: current.addressSeen || listedIds.includes(webhookId),
        problem: null,
        remedy: null,
        checkedAt: this.clock.now(),
      });
      await this.removal.removeSpare(current, listedIds);
      return 'as_wanted';
    }
    return outcome;
  }

  /** An address cannot be updated (document, 4.5). Only one that was listed as ours before tells that it was changed. */
  private async hasMoved(current: Registration, known: ShownWebhook): Promise<boolean> {
    if (!current.addressSeen || known.url === null || carriesKey(known, current.key)) return false;
    await this.drifts.record({
      field: 'url',
      before: maskedAddressOf(current),
      after: maskAddress(known.url),
      outcome: 'repaired',
    });
    return true;
  }

  /** @param found as the list showed it @param now as the answer to the update shows it */
  private async recordDrift(
    left: Registration,
    found: ShownWebhook | undefined,
    wanted: WebhookFields,
    now: ShownWebhook | null,
  ): Promise<void> {
    await this.compare('events', inWords(left.events), inWords(found?.events), 'repaired');
    await this.compare('active', inWords(left.heldActive), inWords(found?.active), 'repaired');
    await this.compare('events', inWords(wanted.events), inWords(now?.events), 'kept');
    await this.compare('active', inWords(wanted.active), inWords(now?.active), 'kept');
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
 * The ids that may be ours, the likeliest first. What only a notification has told comes last, and not where the list shows
 * it at an address that is not ours: then it is somebody else's.
 */
function idsToTry(
  { webhookId, idConfirmed }: Registration,
  known: ShownWebhook | undefined,
  listedIds: readonly string[],
): Set<string> {
  const own = webhookId === null || (!idConfirmed && known !== undefined) ? [] : [webhookId];
  return new Set(idConfirmed ? [...own, ...listedIds] : [...listedIds, ...own]);
}

function inWords(value: readonly string[] | boolean | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'active' : 'paused';
  return [...new Set(value)].toSorted().join(', ');
}
