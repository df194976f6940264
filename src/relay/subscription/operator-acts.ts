import { Injectable } from '@nestjs/common';
import { Grants } from '../connection/grants';
import { RelayError } from '../ground/relay-error';
import { PublicAddress } from '../settings/public-address';
import { Registering } from './webhook-registration';
import { Registrar } from './subscription-reconciler';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './webhook-deletion';
import { ReportedWebhooks } from './reported-webhooks';
import { Rotation } from './rotation';

/** What the operator can have done to the subscription. Each first stores what is wanted, so that it outlives a crash. */
@Injectable()
export class OperatorActs {
  constructor(
    private readonly registrations: Registrations,
    private readonly registrar: Registrar,
    private readonly registering: Registering,
    private readonly rotation: Rotation,
    private readonly removal: Removal,
    private readonly reported: ReportedWebhooks,
    private readonly grants: Grants,
    private readonly address: PublicAddress,
  ) {}

  /** Looks at once whether all is as wanted, and sets it right. @throws RelayError `not_connected`, `storage_failed` */
  async repair(): Promise<void> {
    this.assertConnected();
    await this.registrar.ensureRegistered();
  }

  /**
   * Changes key and secret. What Co-Pilot leaves unclear goes on by itself.
   * @throws RelayError `not_connected`, `not_registered`, `second_webhook_refused`, `storage_failed`
   */
  async rotate(deleteFirst: boolean): Promise<void> {
    this.assertConnected();
    await this.registrar.inTurn(async () => {
      this.registered();
      if (deleteFirst) {
        this.registering.notSentYet(await this.registrations.begin(this.address.url, { deleteFirst }));
        return;
      }
      const outcome = await this.rotation.rotate();
      if (outcome.kind === 'refused') throw secondWebhookRefused(outcome.why);
    });
    await this.registrar.ensureRegistered();
  }

  /** @throws RelayError `not_connected`, `not_registered`, `storage_failed` */
  async setPaused(paused: boolean): Promise<void> {
    this.assertConnected();
    await this.registrar.inTurn(async () => {
      const { id } = this.registered();
      await this.registrations.change(id, { paused });
      const rotating = this.registrations.rotating();
      if (rotating !== null) await this.registrations.change(rotating.id, { paused });
    });
    await this.registrar.ensureRegistered();
  }

  /**
   * Deletes a webhook that only notifications have told of. Should it be another name for the present one, that is found to
   * be gone right after, and made anew.
   * @throws RelayError `not_connected`, `webhook_unknown`, `webhook_not_deleted`, `storage_failed`
   */
  async deleteReported(webhookId: string): Promise<void> {
    this.assertConnected();
    await this.registrar.inTurn(async () => {
      if (!this.reported.all().some(({ webhook_id: reported }) => reported === webhookId)) throw unknown();
      const failed = await this.removal.removeReported(webhookId);
      if (failed !== null) throw notDeleted(failed);
    });
    await this.registrar.ensureRegistered();
  }

  private assertConnected(): void {
    const grant = this.grants.current;
    if (grant !== null && grant.state !== 'consent_needed') return;
    throw new RelayError('not_connected', 409, 'Switchboard is not connected to Co-Pilot.', {
      remedy: 'Connect first; the subscription then follows by itself.',
    });
  }

  private registered(): Registration {
    const current = this.registrations.current();
    if (current?.state === 'active') return current;
    throw new RelayError('not_registered', 409, 'No webhook of ours stands at Co-Pilot.', {
      remedy: 'GET /api/v1/subscription says why; POST /api/v1/subscription/repair tries again at once.',
    });
  }
}

function unknown(): RelayError {
  return new RelayError('webhook_unknown', 404, 'No notification has named such a webhook.', {
    remedy: 'GET /api/v1/subscription lists those that can be deleted under `reported`.',
  });
}

function notDeleted(why: string): RelayError {
  return new RelayError('webhook_not_deleted', 502, `The webhook could not be deleted at Co-Pilot. ${why}`, {
    remedy: 'Try again once Co-Pilot answers, or delete it in the developer panel.',
  });
}

function secondWebhookRefused(why: string): RelayError {
  return new RelayError(
    'second_webhook_refused',
    409,
    `Co-Pilot takes no second webhook beside the present one, which stays as it is. ${why}`,
    {
      remedy:
        'Send {"delete_first": true} to have the present one deleted before the new one is made. What happens at Co-Pilot between the two is lost, and where Co-Pilot then refuses the new one as well, nothing arrives until it takes one.',
    },
  );
}
