import { Injectable } from '@nestjs/common';
import { Log } from '../ground/log';
import { PublicAddress } from '../settings/public-address';
import { Registering } from './webhook-registration';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import type { Trouble } from './api-failure';

/** `refused`: Co-Pilot takes no second webhook. `unclear`: it goes on by itself. */
export type RotationOutcome = { kind: 'rotated' } | ({ kind: 'refused' | 'unclear' } & Trouble);

/**
 * A new webhook, with a new key and secret, in the present one's place. It is stored as `rotating`, then sent, then the
 * present one in a single step; the one before is then taken down as any replaced one is. Both keys are good all along,
 * and what both webhooks send is stored once: a notification's identity leaves out `webhook_id`.
 */
@Injectable()
export class Rotation {
  constructor(
    private readonly registrations: Registrations,
    private readonly registering: Registering,
    private readonly address: PublicAddress,
    private readonly log: Log,
  ) {}

  /** Begins one, unless one is under way; then that goes on. @throws RelayError `storage_failed` */
  async rotate(): Promise<RotationOutcome> {
    const underWay = this.registrations.rotating();
    if (underWay !== null) return this.advance(underWay);
    const made = await this.registrations.beginRotation(this.address.url);
    this.log.info({ act: 'rotate', subscription_id: made.id, outcome: 'begun' }, 'a rotation was begun');
    this.registering.notSentYet(made);
    const outcome = await this.advance(made);
    // Sent once and refused: nothing can be there.
    if (outcome.kind === 'refused') await this.registrations.forget(made.id);
    return outcome;
  }

  /** Goes on with one that was begun. @throws RelayError `storage_failed` */
  async advance(made: Registration): Promise<RotationOutcome> {
    const outcome = await this.registering.register(made);
    const problem = outcome.kind === 'active' ? null : outcome.why;
    this.log.info({ act: 'rotate', subscription_id: made.id, outcome: outcome.kind, problem }, 'a rotation');
    if (outcome.kind === 'active') return { kind: 'rotated' };
    const { kind, why, remedy } = outcome;
    // Refused now, but perhaps sent before: as a replaced one it is looked for, and taken down where it is found.
    const change = kind === 'refused' ? { state: 'replaced' as const } : {};
    await this.registrations.change(made.id, { problem: why, remedy, ...change });
    return { kind, why, remedy };
  }
}
