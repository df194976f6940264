import { Injectable } from '@nestjs/common';
import type { ReportedWebhook } from '../../contract/subscription';
import { ForeignWebhooks } from './foreign-webhooks';
import { RegistrationStore } from './registration.store';
import { isoOrNull } from '../ground/iso-time';

/** Further ids are ignored: somebody who holds our secret could send any number. */
const MAX_REPORTED = 10;

/**
 * Webhook ids in verified notifications that Co-Pilot's API has not confirmed as ours. Each may be a second webhook
 * (after a create whose response was lost), another id of ours, or forged by somebody who holds our secret: so they
 * are shown, and the operator decides. They are kept only in memory: after a restart, a webhook that still exists is
 * reported again by its next notification.
 */
@Injectable()
export class ReportedWebhooks {
  /** By id: when a notification last contained it, in ms since 1970. */
  private readonly reportedAt = new Map<string, number>();

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly foreign: ForeignWebhooks,
  ) {}

  /** A notification contained the id at `at` (ms since 1970). @returns whether the id is new */
  record(webhookId: string, at: number): boolean {
    const isNew = !this.reportedAt.has(webhookId);
    if (isNew && this.reportedAt.size >= MAX_REPORTED) return false;
    this.reportedAt.set(webhookId, at);
    return isNew;
  }

  delete(webhookId: string): void {
    this.reportedAt.delete(webhookId);
  }

  all(): ReportedWebhook[] {
    const known = new Set(this.registrations.all().map(({ webhookId }) => webhookId));
    const others = [...this.reportedAt.keys()].filter((id) => !known.has(id));
    // Replaced webhooks whose id the API has not confirmed.
    const former = this.registrations
      .replaced()
      .flatMap((one) => (one.idConfirmed ? [] : (one.webhookId ?? [])));
    return [
      ...former.map((id) => this.describe(id, 'It is a previous webhook of this subscription.')),
      ...others.map((id) => this.describe(id, 'Notifications signed with our secret contain its id.')),
    ];
  }

  private describe(webhookId: string, origin: string): ReportedWebhook {
    const location = this.foreign.describeLocation(webhookId);
    const locationSentence =
      location === null
        ? 'Co-Pilot does not list it: it may be a second webhook of ours, or another id of the current one.'
        : `Co-Pilot lists it ${location}.`;
    return {
      webhook_id: webhookId,
      named_at: isoOrNull(this.reportedAt.get(webhookId) ?? null),
      sentence: `${origin} ${locationSentence}`,
    };
  }
}
