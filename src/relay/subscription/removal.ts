import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../clock';
import { LOG, type Log } from '../log';
import { isOver, type Registration } from './registration';
import { Registrations } from './registrations';
import { WebhookApi } from './webhook-api';

/**
 * Takes down at Co-Pilot what is ours and no longer wanted. Ours is what our database has an id for, or what carries a
 * key of ours in its address; nothing else is ever touched.
 */
@Injectable()
export class Removal {
  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns whether nothing replaced is left at Co-Pilot. @throws RelayError `storage_failed` */
  async takeDownReplaced(): Promise<boolean> {
    let allDown = true;
    for (const replaced of this.registrations.all().filter(({ state }) => state === 'replaced')) {
      const problem = await this.takeDown(replaced);
      this.log[problem === null ? 'info' : 'warn'](
        { act: 'take_down', subscription_id: replaced.id, webhook_id: replaced.webhookId, problem },
        'a former registration of ours',
      );
      if (problem === null)
        await this.registrations.change(replaced.id, { state: 'gone', closedAt: this.clock.now() });
      else allDown = false;
    }
    return allDown;
  }

  /** @returns `nothing` where there was none; why one could not be deleted. @throws RelayError `storage_failed` */
  async removeAll(): Promise<'removed' | 'nothing' | { failed: string }> {
    const ours = this.registrations.all().filter(({ state }) => state !== 'gone');
    for (const one of ours) {
      const problem = await this.takeDown(one);
      if (problem !== null) return { failed: problem };
      await this.registrations.change(one.id, { state: 'gone', closedAt: this.clock.now() });
    }
    return ours.length === 0 ? 'nothing' : 'removed';
  }

  /**
   * A create whose answer was lost and which was sent again may have left two at our address. All but the one that we know
   * go; where the list does not name that one, its ids mean something else, and nothing is touched.
   * @throws RelayError `storage_failed`
   */
  async removeSpare({ id }: Registration, listed: readonly (string | null)[]): Promise<void> {
    const known = this.registrations.get(id)?.webhookId ?? null;
    if (known === null || !listed.includes(known)) return;
    for (const spare of listed) {
      if (spare === null || spare === known) continue;
      const outcome = await this.api.remove(spare);
      this.log.warn(
        { act: 'remove_spare', subscription_id: id, webhook_id: spare, outcome: outcome.kind },
        'a second webhook at our address',
      );
    }
  }

  /** Forgets those for which nothing can arrive any more. @throws RelayError `storage_failed` */
  async forgetOver(): Promise<void> {
    const now = this.clock.now();
    for (const one of this.registrations.all()) if (isOver(one, now)) await this.registrations.forget(one.id);
  }

  /** @returns what stood in the way, or null */
  private async takeDown(replaced: Registration): Promise<string | null> {
    const found = await this.api.find(replaced);
    if (found.kind === 'unclear' && replaced.webhookId === null) return found.why;
    const listed = found.kind === 'listed' ? found.ids : [];
    if (listed.includes(null) && replaced.webhookId === null) return 'Co-Pilot lists it without an id.';
    for (const id of new Set([replaced.webhookId, ...listed].filter((one) => one !== null))) {
      const outcome = await this.api.remove(id);
      if (outcome.kind !== 'gone') return outcome.why;
    }
    return null;
  }
}
