import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../clock';
import { LOG, type Log } from '../log';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './removal';
import { WebhookApi } from './webhook-api';

/**
 * Brings a stored registration to Co-Pilot: `active` with the answer, `failed` with a certain refusal, and `registering`
 * still where the outcome is unknown.
 */
@Injectable()
export class Registering {
  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly removal: Removal,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Sends it: the same key and secret however often, so that what arrives fits whichever request came through.
   * @returns whether it is active. @throws RelayError `storage_failed`
   */
  async send(made: Registration): Promise<boolean> {
    const outcome = await this.api.create(made);
    if (outcome.kind === 'created') {
      await this.activate(made, outcome.webhookId);
      if (outcome.webhookId === null) await this.adopt(made);
      return true;
    }
    if (outcome.kind === 'unclear') return this.notYet(made, 'registering', outcome.why);
    if (outcome.exists && (await this.adopt(made)) === 'adopted') return true;
    return this.notYet(made, 'failed', outcome.why);
  }

  /**
   * Looks for it in Co-Pilot's list, and takes it for ours where it is found: our key is in its address.
   * @throws RelayError `storage_failed`
   */
  async adopt(made: Registration): Promise<'adopted' | 'absent' | 'unclear'> {
    const found = await this.api.find(made);
    if (found.kind === 'unclear') {
      await this.notYet(made, 'registering', found.why);
      return 'unclear';
    }
    if (found.ids.length === 0) return 'absent';
    await this.activate(made, found.ids.find((id) => id !== null) ?? null);
    await this.removal.removeSpare(made, found.ids);
    return 'adopted';
  }

  private async activate({ id }: Registration, webhookId: string | null): Promise<void> {
    const now = this.clock.now();
    await this.registrations.change(id, {
      state: 'active',
      problem: null,
      registeredAt: this.registrations.get(id)?.registeredAt ?? now,
      ...(webhookId === null ? {} : { webhookId, checkedAt: now }),
    });
    const record = { act: 'register', subscription_id: id, outcome: 'active', webhook_id: webhookId };
    this.log.info(record, 'the webhook is registered');
  }

  /** @returns whether it stands all the same: a notification may have proven it meanwhile */
  private async notYet(
    { id }: Registration,
    state: 'failed' | 'registering',
    problem: string,
  ): Promise<boolean> {
    if (this.registrations.get(id)?.state === 'active') return true;
    await this.registrations.change(id, { state, problem });
    this.log.warn({ act: 'register', subscription_id: id, outcome: state, problem }, 'not registered yet');
    return false;
  }
}
