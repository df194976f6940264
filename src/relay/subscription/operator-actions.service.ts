import { Injectable } from '@nestjs/common';
import { GrantStore } from '../connection/grant.store';
import { RelayError } from '../ground/relay-error';
import { WebhookRegistration } from './webhook-registration';
import { SubscriptionWorker } from './subscription.worker';
import type { Registration } from './registration';
import { RegistrationStore } from './registration.store';
import { WebhookDeletion } from './webhook-deletion';
import { ReportedWebhooks } from './reported-webhooks';
import { Rotation } from './rotation';

/** The operator's actions on the subscription. Each stores the desired state first, so that it survives a crash. */
@Injectable()
export class OperatorActionsService {
  constructor(
    private readonly registrations: RegistrationStore,
    private readonly worker: SubscriptionWorker,
    private readonly registration: WebhookRegistration,
    private readonly rotation: Rotation,
    private readonly deletion: WebhookDeletion,
    private readonly reported: ReportedWebhooks,
    private readonly grants: GrantStore,
  ) {}

  /** Checks the subscription now and repairs it. @throws RelayError `not_connected`, `storage_failed` */
  async repair(): Promise<void> {
    this.requireConnection();
    await this.worker.checkNow();
  }

  /**
   * Replaces key and secret. With `deleteFirst`, events that occur in between are lost. If the outcome at Co-Pilot is
   * unclear, the rotation continues automatically.
   * @throws RelayError `not_connected`, `not_registered`, `second_webhook_rejected`, `storage_failed`
   */
  async rotate(deleteFirst: boolean): Promise<void> {
    this.requireConnection();
    await this.worker.exclusively(async () => {
      this.requireActive();
      if (deleteFirst) {
        await this.registration.createSuccessor({ deleteFirst });
        return;
      }
      const outcome = await this.rotation.rotate();
      if (outcome.kind === 'rejected') throw secondWebhookRejected(outcome.reason);
    });
    await this.worker.ensureRegistered();
  }

  /** Pauses or resumes sending at Co-Pilot. @throws RelayError `not_connected`, `not_registered`, `storage_failed` */
  async setPaused(paused: boolean): Promise<void> {
    this.requireConnection();
    await this.worker.exclusively(async () => {
      const { id } = this.requireActive();
      await this.registrations.update(id, { paused });
      const rotating = this.registrations.rotating();
      if (rotating !== null) await this.registrations.update(rotating.id, { paused });
    });
    await this.worker.ensureRegistered();
  }

  /**
   * Deletes a webhook known only from notifications. If it is another id of the current one, the check that follows
   * finds that deleted and creates a successor.
   * @throws RelayError `not_connected`, `webhook_unknown`, `webhook_not_deleted`, `storage_failed`
   */
  async deleteReported(webhookId: string): Promise<void> {
    this.requireConnection();
    await this.worker.exclusively(async () => {
      if (!this.reported.all().some(({ webhook_id: reported }) => reported === webhookId))
        throw webhookUnknown();
      const failed = await this.deletion.deleteReported(webhookId);
      if (failed !== null) throw webhookNotDeleted(failed);
    });
    await this.worker.ensureRegistered();
  }

  /**
   * Deletes all our webhooks at Co-Pilot before a disconnect. `nothing`: there was none. If one could not be deleted,
   * `failed` says why, and its registration is not changed.
   * @throws RelayError `storage_failed`
   */
  deleteWebhooks(): Promise<'removed' | 'nothing' | { failed: string }> {
    return this.worker.exclusively(async () => {
      const outcome = await this.deletion.deleteAll();
      // They must not be registered again before the tokens are deleted.
      if (typeof outcome === 'string') this.worker.postpone();
      return outcome;
    });
  }

  private requireConnection(): void {
    if (this.grants.isUsable) return;
    throw new RelayError('not_connected', 409, 'Switchboard is not connected to Co-Pilot.', {
      remedy: 'Connect first; the subscription is then created automatically.',
    });
  }

  private requireActive(): Registration {
    const current = this.registrations.current();
    if (current?.state === 'active') return current;
    throw new RelayError('not_registered', 409, 'No webhook is registered at Co-Pilot.', {
      remedy: 'GET /api/v1/subscription shows why; POST /api/v1/subscription/repair retries at once.',
    });
  }
}

function webhookUnknown(): RelayError {
  return new RelayError('webhook_unknown', 404, 'No notification has reported a webhook with this id.', {
    remedy: 'GET /api/v1/subscription lists the webhooks that can be deleted under `reported`.',
  });
}

function webhookNotDeleted(why: string): RelayError {
  return new RelayError('webhook_not_deleted', 502, `The webhook could not be deleted at Co-Pilot. ${why}`, {
    remedy: 'Try again once Co-Pilot responds, or delete it in the developer panel.',
  });
}

function secondWebhookRejected(why: string): RelayError {
  return new RelayError(
    'second_webhook_rejected',
    409,
    `Co-Pilot does not allow a second webhook beside the current one, which was left unchanged. ${why}`,
    {
      remedy:
        'Send {"delete_first": true} to delete the current webhook before the new one is created. Events that occur in between are lost, and if Co-Pilot then rejects the new webhook too, nothing arrives until it accepts one.',
    },
  );
}
