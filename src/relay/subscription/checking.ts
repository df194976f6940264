import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../clock';
import { LOG, type Log } from '../log';
import { Settings } from '../settings/settings';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './removal';
import { WebhookApi, type UpdateOutcome } from './webhook-api';

/** `unknown`: Co-Pilot has not told its id yet, so nothing can be asked. */
export type CheckOutcome = UpdateOutcome['kind'] | 'unknown';

/** Finds a registration again that was active when the process ended, and sets it as wanted. */
@Injectable()
export class Checking {
  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly removal: Removal,
    private readonly settings: Settings,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Setting events and `active` (document, 4.5) shows also whether it is still there. The list is a second witness: it
   * may know our address under another id.
   * @throws RelayError `storage_failed`
   */
  async check(current: Registration): Promise<CheckOutcome> {
    const { events } = this.settings.copilot;
    const found = await this.api.find(current);
    const listed = found.kind === 'listed' ? found.ids : [];
    const candidates = new Set([current.webhookId, ...listed].filter((id) => id !== null));

    let outcome: CheckOutcome = 'unknown';
    for (const webhookId of candidates) {
      const updated = await this.api.update(webhookId, events);
      outcome = updated.kind;
      if (updated.kind === 'gone') continue;
      const change =
        updated.kind === 'updated'
          ? { webhookId, events, problem: null, checkedAt: this.clock.now() }
          : { problem: updated.why };
      await this.registrations.change(current.id, change);
      if (updated.kind === 'updated') await this.removal.removeSpare(current, listed);
      break;
    }
    const webhookId = this.registrations.get(current.id)?.webhookId ?? null;
    this.log.info(
      { act: 'check', subscription_id: current.id, webhook_id: webhookId, outcome },
      'the registration was checked',
    );
    return outcome;
  }
}
