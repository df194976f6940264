import { Injectable } from '@nestjs/common';
import { Log } from '../ground/log';
import { WebhookRegistration } from './webhook-registration';
import type { Registration } from './registration';
import { RegistrationStore } from './registration.store';
import type { ApiFailure } from '../connection/api-failure';

/**
 * `rejected`: Co-Pilot created no second webhook. `unclear`: the outcome is unknown, and the rotation is resumed
 * automatically.
 */
export type RotationOutcome = { kind: 'rotated' } | ({ kind: 'rejected' | 'unclear' } & ApiFailure);

/**
 * Replaces the current webhook by one with a new key and secret. The new one is stored as `rotating`, registered,
 * then made the current one in a single transaction; the old one is then deleted like any replaced one. Meanwhile
 * both keys are accepted. An event that both webhooks send is stored once, because the identity of a notification
 * excludes `webhook_id`.
 */
@Injectable()
export class Rotation {
  constructor(
    private readonly registrations: RegistrationStore,
    private readonly registration: WebhookRegistration,
    private readonly log: Log,
  ) {}

  /** Starts a rotation, or resumes the one in progress. @throws RelayError `storage_failed` */
  async rotate(): Promise<RotationOutcome> {
    const inProgress = this.registrations.rotating();
    if (inProgress !== null) return this.resume(inProgress);
    const created = await this.registration.createRotating();
    this.log.info({ action: 'rotate', subscription_id: created.id, outcome: 'started' }, 'rotation started');
    const outcome = await this.resume(created);
    // It was sent only once and rejected, so it cannot exist at Co-Pilot.
    if (outcome.kind === 'rejected') await this.registrations.delete(created.id);
    return outcome;
  }

  /** Continues a rotation that was started. @throws RelayError `storage_failed` */
  async resume(rotating: Registration): Promise<RotationOutcome> {
    const outcome = await this.registration.register(rotating);
    const problem = outcome.kind === 'active' ? null : outcome.reason;
    this.log.info(
      { action: 'rotate', subscription_id: rotating.id, outcome: outcome.kind, problem },
      'rotation attempt',
    );
    if (outcome.kind === 'active') return { kind: 'rotated' };
    const { kind, reason, remedy } = outcome;
    // Rejected now, but an earlier request may have created it. A `replaced` webhook is deleted at Co-Pilot if the
    // list contains it.
    const change = kind === 'rejected' ? { state: 'replaced' as const } : {};
    await this.registrations.update(rotating.id, { problem: reason, remedy, ...change });
    return { kind, reason, remedy };
  }
}
