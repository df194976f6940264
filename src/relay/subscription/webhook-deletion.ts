import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { TimeBounds } from '../ground/time-bounds';
import { carriesKey } from './read-webhooks';
import { isOver, type Registration } from './registration';
import { Registrations } from './registrations';
import { ReportedWebhooks } from './reported-webhooks';
import { WebhookApi } from './webhook-api';

/** What nobody has told the id of, no list shows, and nothing arrives from for so long, is not there. */
const UNSEEN_FOR_MS = 86_400_000;
/** Two are one too many, and more than two are nothing that we have made: there is no hurry. */
const SPARE_REMOVED_EVERY_MS = 60_000;
/** Secrets of so many that were taken down are kept, to check quarantined notifications with. */
const CLOSED_KEPT = 10;

/** `unseen`: neither its id nor the list has told which of Co-Pilot's webhooks it is, if it is there at all. */
type TakenDown = { kind: 'gone' } | { kind: 'unseen' } | { kind: 'failed'; why: string };

/**
 * Takes down at Co-Pilot what is ours and no longer wanted. Ours is what Co-Pilot's API has told the id of when it was made,
 * or what its list shows with a key of ours in the address; nothing else is ever touched.
 */
@Injectable()
export class Removal {
  /** When a spare one was last deleted, by monotonic time. */
  private spareRemovedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly reported: ReportedWebhooks,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** @returns whether all went as far as it can for now. @throws RelayError `storage_failed` */
  async takeDown(replaced: readonly Registration[]): Promise<boolean> {
    let wentWell = true;
    for (const one of replaced) {
      const taken = await this.takeDownOne(one);
      const problem = taken.kind === 'failed' ? taken.why : null;
      this.log[problem === null ? 'info' : 'warn'](
        {
          act: 'take_down',
          subscription_id: one.id,
          webhook_id: one.webhookId,
          outcome: taken.kind,
          problem,
        },
        'a former registration of ours',
      );
      if (taken.kind === 'gone') await this.close(one);
      if (taken.kind === 'failed') wentWell = false;
    }
    return wentWell;
  }

  /** @returns `nothing` where there was none; why one could not be deleted. @throws RelayError `storage_failed` */
  async removeAll(): Promise<'removed' | 'nothing' | { failed: string }> {
    const ours = this.registrations.all().filter(({ state }) => state !== 'gone' && state !== 'closed');
    for (const one of ours) {
      const taken = await this.takeDownOne(one);
      if (taken.kind === 'failed') return { failed: taken.why };
      if (taken.kind === 'unseen' && one.state === 'active')
        return {
          failed: "Co-Pilot's API has not told the id of our webhook, and its list does not show it.",
        };
      if (taken.kind === 'unseen') await this.registrations.change(one.id, { state: 'replaced' });
      else await this.close(one);
    }
    return ours.length === 0 ? 'nothing' : 'removed';
  }

  /**
   * A create whose answer was lost and which was sent again may have left two at our address. All but the one that we know
   * go, one a minute; where the list does not name that one, its ids mean something else, and nothing is touched.
   * @param listed the ids at our address, as the list has them
   */
  async removeSpare({ id }: Registration, listed: readonly string[]): Promise<void> {
    const known = this.registrations.get(id)?.webhookId ?? null;
    if (known === null || !listed.includes(known)) return;
    const spare = listed.find((webhookId) => webhookId !== known);
    const now = this.clock.monotonic();
    if (spare === undefined || now - this.spareRemovedAt < SPARE_REMOVED_EVERY_MS) return;
    this.spareRemovedAt = now;
    const outcome = await this.api.remove(spare);
    this.log.warn(
      { act: 'remove_spare', subscription_id: id, webhook_id: spare, outcome: outcome.kind },
      'a second webhook at our address',
    );
  }

  /**
   * Deletes a webhook that only notifications have told of, because an operator wants it.
   * @returns why it could not be deleted; null where it is gone @throws RelayError `storage_failed`
   */
  async removeReported(webhookId: string): Promise<string | null> {
    const outcome = await this.api.remove(webhookId);
    this.log.warn(
      { act: 'remove_reported', webhook_id: webhookId, outcome: outcome.kind },
      'a webhook that notifications tell of',
    );
    if (outcome.kind === 'unclear') return outcome.why;
    this.reported.forget(webhookId);
    for (const one of this.registrations.replaced()) if (one.webhookId === webhookId) await this.close(one);
    return null;
  }

  /** Lets those go for which nothing can arrive any more. @throws RelayError `storage_failed` */
  async forgetOver(): Promise<void> {
    const now = this.bounds.latest();
    for (const one of this.registrations.all())
      if (isOver(one, now)) await this.registrations.change(one.id, { state: 'closed' });
    const closed = this.registrations.all().filter(({ state }) => state === 'closed');
    for (const one of closed.slice(0, -CLOSED_KEPT)) await this.registrations.forget(one.id);
  }

  private close({ id }: Registration): Promise<void> {
    return this.registrations.change(id, { state: 'gone', closedAt: this.bounds.latest() });
  }

  /** The list is asked too: a create whose answer was lost may have left a second one there. */
  private async takeDownOne(one: Registration): Promise<TakenDown> {
    const found = await this.api.list();
    if (found.kind === 'unclear' && one.webhookId === null) return { kind: 'failed', why: found.why };
    const listed =
      found.kind === 'listed' ? found.webhooks.filter((shown) => carriesKey(shown, one.key)) : [];
    const told = [one.idConfirmed ? one.webhookId : null, ...listed.map(({ webhookId }) => webhookId)];
    const ids = new Set(told.filter((id) => id !== null));
    if (listed.length > 0 && ids.size === 0)
      return { kind: 'failed', why: 'Co-Pilot lists it without an id.' };
    for (const id of ids) {
      const outcome = await this.api.remove(id);
      if (outcome.kind === 'unclear') return { kind: 'failed', why: outcome.why };
    }
    if (ids.size > 0) return { kind: 'gone' };
    // What notifications have come from is there, until the list shows it or an operator has it deleted.
    const unseenLong = one.webhookId === null && this.bounds.earliest() >= one.createdAt + UNSEEN_FOR_MS;
    return { kind: unseenLong ? 'gone' : 'unseen' };
  }
}
