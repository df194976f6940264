import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { PublicAddress } from '../settings/public-address';
import { urlContainsKey } from './read-webhooks';
import type { Registration, RegistrationChange } from './registration';
import { RegistrationStore } from './registration.store';
import { WebhookDeletion } from './webhook-deletion';
import type { ApiFailure } from '../connection/api-failure';
import { WebhookApi } from './webhook-api';

/** `rejected`: it was not created. `unclear`: it may or may not exist. */
export type RegisterOutcome = { kind: 'active' } | ({ kind: 'rejected' | 'unclear' } & ApiFailure);

/**
 * Registers a stored registration at Co-Pilot. If it becomes active, it is the current one; any other outcome is
 * returned for the caller to store.
 */
@Injectable()
export class WebhookRegistration {
  /** Ids of registrations that this process created and has not sent: they cannot exist at Co-Pilot. */
  private readonly unsent = new Set<number>();

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly api: WebhookApi,
    private readonly deletion: WebhookDeletion,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Creates a registration that replaces the current one, if any. @throws RelayError `storage_failed` */
  async createSuccessor({ deleteFirst = false } = {}): Promise<Registration> {
    const predecessor = this.registrations.current();
    const successor = await this.registrations.create(this.address.url, { deleteFirst });
    this.unsent.add(successor.id);
    const { id, publicUrl } = successor;
    const ids = { subscription_id: id, replaces: predecessor?.id ?? null };
    this.log.info(
      { action: 'register', ...ids, public_url: publicUrl, outcome: 'started' },
      'registration created',
    );
    return successor;
  }

  /**
   * Creates a registration that replaces the current one once it is registered.
   * @throws RelayError `storage_failed`
   */
  async createRotating(): Promise<Registration> {
    const rotating = await this.registrations.createRotating(this.address.url);
    this.unsent.add(rotating.id);
    return rotating;
  }

  /**
   * Sends the registration. If it may have been sent before, Co-Pilot's list is searched first, and a webhook whose
   * URL contains its key is adopted. Each request has the same key and secret, so notifications can be verified
   * whichever request succeeded.
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
    return adopted !== 'absent' && adopted.kind === 'active' ? adopted : { kind: 'rejected', reason, remedy };
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
    else await this.registrations.makeCurrent(registration.id, change);
    this.log.info(
      { action: 'register', subscription_id: registration.id, outcome: 'active', webhook_id: webhookId },
      'webhook registered',
    );
  }
}
