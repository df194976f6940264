import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '../log';
import { TimeBounds } from '../time-bounds';
import { carriesKey } from './read-webhooks';
import { isOver, type Registration } from './registration';
import { Registrations } from './registrations';
import { Strays } from './strays';
import { WebhookApi } from './webhook-api';

/** What nobody has told the id of, no list shows, and nothing arrives from for so long, is not there. */
const UNSEEN_FOR_MS = 86_400_000;
/** Secrets of so many that were taken down are kept, to check quarantined notifications with. */
const CLOSED_KEPT = 10;

/** `unseen`: whether it is there cannot be told yet; a notification from it would tell its id. */
type TakenDown = { kind: 'gone' } | { kind: 'unseen' } | { kind: 'failed'; why: string };

/**
 * Takes down at Co-Pilot what is ours and no longer wanted. Ours is what our database has an id for, or what carries a
 * key of ours in its address; nothing else is ever touched.
 */
@Injectable()
export class Removal {
  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly strays: Strays,
    private readonly bounds: TimeBounds,
    @Inject(LOG) private readonly log: Log,
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
        return { failed: 'Co-Pilot has not told the id of our webhook, and its list does not show it.' };
      if (taken.kind === 'unseen') await this.registrations.change(one.id, { state: 'replaced' });
      else await this.close(one);
    }
    return ours.length === 0 ? 'nothing' : 'removed';
  }

  /**
   * A create whose answer was lost and which was sent again may have left two at our address. All but the one that we know
   * go; where the list does not name that one, its ids mean something else, and nothing is touched.
   * @param listed the ids at our address, as the list has them @throws RelayError `storage_failed`
   */
  async removeSpare({ id }: Registration, listed: readonly (string | null)[]): Promise<void> {
    const known = this.registrations.get(id)?.webhookId ?? null;
    const spare = known !== null && listed.includes(known) ? listed : [];
    for (const webhookId of new Set([...spare, ...this.strays.of(id)])) {
      if (webhookId === null || webhookId === known) continue;
      const outcome = await this.api.remove(webhookId);
      if (outcome.kind === 'gone') this.strays.noteRemoved(webhookId);
      this.log.warn(
        { act: 'remove_spare', subscription_id: id, webhook_id: webhookId, outcome: outcome.kind },
        'a second webhook at our address',
      );
    }
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
    const ids = new Set([
      one.webhookId,
      ...listed.map(({ webhookId }) => webhookId),
      ...this.strays.of(one.id),
    ]);
    if (listed.length > 0 && one.webhookId === null && ids.size === 1)
      return { kind: 'failed', why: 'Co-Pilot lists it without an id.' };
    for (const id of ids) {
      const outcome = id === null ? null : await this.api.remove(id);
      if (outcome?.kind === 'unclear') return { kind: 'failed', why: outcome.why };
    }
    if (ids.size > 1 || !ids.has(null)) return { kind: 'gone' };
    const unseenLong = this.bounds.earliest() >= one.createdAt + UNSEEN_FOR_MS;
    return { kind: unseenLong ? 'gone' : 'unseen' };
  }
}
