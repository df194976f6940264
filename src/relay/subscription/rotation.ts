import { Injectable } from '@nestjs/common';
import { Log } from '../ground/log';
import { PublicAddress } from '../settings/public-address';
import { WebhookRegistration } from './webhook-registration';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import type { ApiFailure } from './api-failure';

/** `refused`: Co-Pilot allows no second webhook. `unclear`: it continues automatically. */
export type RotationOutcome = { kind: 'rotated' } | ({ kind: 'refused' | 'unclear' } & ApiFailure);

/**
 * Replaces the current webhook by one with a new key and secret. The new one is stored as `rotating`,
 * registered, then promoted in a single step; the old one is then deleted like any replaced one. Both keys
 * are accepted meanwhile, and what both webhooks send is stored once: the identity of a notification
 * excludes `webhook_id`.
 */
@Injectable()
export class Rotation {
  constructor(
    private readonly registrations: Registrations,
    private readonly registration: WebhookRegistration,
    private readonly address: PublicAddress,
    private readonly log: Log,
  ) {}

  /** Starts a rotation, or resumes the one in progress. @throws RelayError `storage_failed` */
  async rotate(): Promise<RotationOutcome> {
    const inProgress = this.registrations.rotating();
    if (inProgress !== null) return this.resume(inProgress);
    const created = await this.registrations.createRotating(this.address.url);
    this.log.info({ act: 'rotate', subscription_id: created.id, outcome: 'begun' }, 'rotation started');
    this.registration.markUnsent(created);
    const outcome = await this.resume(created);
    // Sent once and refused: it cannot exist at Co-Pilot.
    if (outcome.kind === 'refused') await this.registrations.delete(created.id);
    return outcome;
  }

  /** Continues a rotation that was started. @throws RelayError `storage_failed` */
  async resume(rotating: Registration): Promise<RotationOutcome> {
    const outcome = await this.registration.register(rotating);
    const problem = outcome.kind === 'active' ? null : outcome.reason;
    this.log.info(
      { act: 'rotate', subscription_id: rotating.id, outcome: outcome.kind, problem },
      'rotation attempt',
    );
    if (outcome.kind === 'active') return { kind: 'rotated' };
    const { kind, reason, remedy } = outcome;
    // Refused now, but an earlier request may have created it: as a replaced one it is searched and deleted
    // if found.
    const change = kind === 'refused' ? { state: 'replaced' as const } : {};
    await this.registrations.update(rotating.id, { problem: reason, remedy, ...change });
    return { kind, reason, remedy };
  }
}
