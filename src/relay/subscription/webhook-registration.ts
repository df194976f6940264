import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { urlContainsKey } from './read-webhooks';
import type { Registration, RegistrationChange } from './registration';
import { Registrations } from './registrations';
import { WebhookDeletion } from './webhook-deletion';
import type { ApiFailure } from './api-failure';
import { WebhookApi } from './webhook-api';

/** `refused`: definitely not created. `unclear`: it may or may not exist. */
export type RegisterOutcome = { kind: 'active' } | ({ kind: 'refused' | 'unclear' } & ApiFailure);

/**
 * Registers a stored registration at Co-Pilot. If it becomes active, it is the current one; any other
 * outcome is returned for the caller to store.
 */
@Injectable()
export class WebhookRegistration {
  /** Created by this process and not sent yet, so they need not be searched. */
  private readonly unsent = new Set<number>();

  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly deletion: WebhookDeletion,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Nothing was sent yet, so the webhook cannot exist. */
  markUnsent({ id }: Registration): void {
    this.unsent.add(id);
  }

  /**
   * If it may have been sent before, it is searched first, and adopted if its URL contains our key. It is
   * always sent with the same key and secret, so that notifications verify whichever request succeeded.
   * @throws RelayError `storage_failed`
   */
  async register(registration: Registration): Promise<RegisterOutcome> {
    if (registration.state !== 'failed' && !this.unsent.has(registration.id)) {
      const adopted = await this.adopt(registration);
      if (adopted !== 'absent') return adopted;
    }
    this.unsent.delete(registration.id);
    return this.send(registration);
  }

  private async send(registration: Registration): Promise<RegisterOutcome> {
    const outcome = await this.api.create(registration);
    if (outcome.kind === 'created') {
      await this.activate(registration, outcome.webhookId);
      if (outcome.webhookId === null) await this.adopt(registration);
      return { kind: 'active' };
    }
    const { reason, remedy } = outcome;
    // A notification may have proven it active meanwhile.
    if (this.registrations.get(registration.id)?.state === 'active') return { kind: 'active' };
    if (outcome.kind === 'unclear') return { kind: 'unclear', reason, remedy };
    const adopted = outcome.exists ? await this.adopt(registration) : 'absent';
    return adopted !== 'absent' && adopted.kind === 'active' ? adopted : { kind: 'refused', reason, remedy };
  }

  private async adopt(registration: Registration): Promise<RegisterOutcome | 'absent'> {
    const found = await this.api.list();
    if (found.kind === 'unclear') return found;
    const atOurUrl = found.webhooks.filter((one) => urlContainsKey(one, registration.key));
    if (atOurUrl.length === 0) return 'absent';
    const ids = atOurUrl.map(({ webhookId }) => webhookId).filter((id) => id !== null);
    await this.activate(registration, ids[0] ?? null);
    await this.deletion.deleteSurplus(registration, ids);
    return { kind: 'active' };
  }

  private async activate(registration: Registration, webhookId: string | null): Promise<void> {
    const now = this.clock.now();
    const { state, registeredAt } = this.registrations.get(registration.id) ?? registration;
    const change: RegistrationChange = {
      problem: null,
      remedy: null,
      lastKnownActive: !registration.paused,
      registeredAt: registeredAt ?? now,
      ...(webhookId === null ? {} : { webhookId, idConfirmed: true, checkedAt: now }),
    };
    if (state === 'active') await this.registrations.update(registration.id, change);
    else await this.registrations.promote(registration.id, change);
    this.log.info(
      { act: 'register', subscription_id: registration.id, outcome: 'active', webhook_id: webhookId },
      'webhook registered',
    );
  }
}
