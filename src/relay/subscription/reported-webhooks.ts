import { Injectable } from '@nestjs/common';
import type { ReportedWebhook } from '../../contract/subscription';
import { ForeignWebhooks } from './unknown-webhooks';
import { Registrations } from './registrations';

/** So many are kept. */
const LIMIT = 10;

/**
 * Webhooks that verified notifications name, and that Co-Pilot's API has not shown to be ours. Each may be a second one, as
 * after a create whose answer was lost, or another name for the one we know, or anything that somebody wrote who holds a
 * secret of ours: so they are shown, and an operator decides. In memory: as long as such a webhook is there, it sends.
 */
@Injectable()
export class ReportedWebhooks {
  /** By id, when a notification last named it, in ms since 1970. */
  private readonly namedAt = new Map<string, number>();

  constructor(
    private readonly registrations: Registrations,
    private readonly foreign: ForeignWebhooks,
  ) {}

  /** A notification named it at `at` (ms since 1970). @returns whether that is news */
  note(webhookId: string, at: number): boolean {
    const isNew = !this.namedAt.has(webhookId);
    if (isNew && this.namedAt.size >= LIMIT) return false;
    this.namedAt.set(webhookId, at);
    return isNew;
  }

  forget(webhookId: string): void {
    this.namedAt.delete(webhookId);
  }

  all(): ReportedWebhook[] {
    const known = new Set(this.registrations.all().map(({ webhookId }) => webhookId));
    const others = [...this.namedAt.keys()].filter((id) => !known.has(id));
    return [
      ...this.undeletable().map((id) => this.describe(id, 'It is one before the present webhook.')),
      ...others.map((id) => this.describe(id, 'Notifications signed with our secret name it.')),
    ];
  }

  /** Of those that are to be taken down, the ones whose id is not known from the API. */
  private undeletable(): string[] {
    const unconfirmed = this.registrations.replaced().filter(({ idConfirmed }) => !idConfirmed);
    return unconfirmed.map(({ webhookId }) => webhookId).filter((id) => id !== null);
  }

  private describe(webhookId: string, what: string): ReportedWebhook {
    const at = this.namedAt.get(webhookId);
    const place = this.foreign.placeOf(webhookId);
    const where =
      place === null
        ? "Co-Pilot's list does not show it: it may be a second webhook of ours, or another name for the present one."
        : `Co-Pilot lists it ${place}.`;
    return {
      webhook_id: webhookId,
      named_at: at === undefined ? null : new Date(at).toISOString(),
      sentence: `${what} ${where}`,
    };
  }
}
