import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { carriesKey } from './read-webhooks';
import type { Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './webhook-deletion';
import type { Trouble } from './api-failure';
import { WebhookApi } from './webhook-api';

/** `refused`: for certain. `unclear`: it may or may not be there. */
export type RegisterOutcome = { kind: 'active' } | ({ kind: 'refused' | 'unclear' } & Trouble);

/**
 * Brings a stored registration to Co-Pilot. An active one is the present one from then on; what else comes of it is told,
 * and noted by who asked.
 */
@Injectable()
export class Registering {
  /** Made by this process and not sent yet, so that nobody need look for them. */
  private readonly unsent = new Set<number>();

  constructor(
    private readonly registrations: Registrations,
    private readonly api: WebhookApi,
    private readonly removal: Removal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Its outcome cannot be unknown, as nothing was sent. */
  notSentYet({ id }: Registration): void {
    this.unsent.add(id);
  }

  /**
   * Where it was perhaps sent before, it is looked for first, and taken for ours where our key is in its address. It is
   * sent with the same key and secret however often, so that what arrives fits whichever request came through.
   * @throws RelayError `storage_failed`
   */
  async register(made: Registration): Promise<RegisterOutcome> {
    if (made.state !== 'failed' && !this.unsent.has(made.id)) {
      const adopted = await this.adopt(made);
      if (adopted !== 'absent') return adopted;
    }
    this.unsent.delete(made.id);
    return this.send(made);
  }

  private async send(made: Registration): Promise<RegisterOutcome> {
    const outcome = await this.api.create(made);
    if (outcome.kind === 'created') {
      await this.activate(made, outcome.webhookId);
      if (outcome.webhookId === null) await this.adopt(made);
      return { kind: 'active' };
    }
    const { why, remedy } = outcome;
    // A notification may have proven it meanwhile.
    if (this.registrations.get(made.id)?.state === 'active') return { kind: 'active' };
    if (outcome.kind === 'unclear') return { kind: 'unclear', why, remedy };
    const adopted = outcome.exists ? await this.adopt(made) : 'absent';
    return adopted !== 'absent' && adopted.kind === 'active' ? adopted : { kind: 'refused', why, remedy };
  }

  private async adopt(made: Registration): Promise<RegisterOutcome | 'absent'> {
    const found = await this.api.list();
    if (found.kind === 'unclear') return found;
    const atOurs = found.webhooks.filter((one) => carriesKey(one, made.key));
    if (atOurs.length === 0) return 'absent';
    const ids = atOurs.map(({ webhookId }) => webhookId).filter((id) => id !== null);
    await this.activate(made, ids[0] ?? null);
    await this.removal.removeSpare(made, ids);
    return { kind: 'active' };
  }

  private async activate(made: Registration, webhookId: string | null): Promise<void> {
    const now = this.clock.now();
    const { state, registeredAt } = this.registrations.get(made.id) ?? made;
    const change = {
      problem: null,
      remedy: null,
      heldActive: !made.paused,
      registeredAt: registeredAt ?? now,
      ...(webhookId === null ? {} : { webhookId, idConfirmed: true, checkedAt: now }),
    };
    if (state === 'active') await this.registrations.change(made.id, change);
    else await this.registrations.promote(made.id, change);
    this.log.info(
      { act: 'register', subscription_id: made.id, outcome: 'active', webhook_id: webhookId },
      'the webhook is registered',
    );
  }
}
