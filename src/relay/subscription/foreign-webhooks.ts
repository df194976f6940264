import { Injectable } from '@nestjs/common';
import type { ForeignWebhook } from '../../contract/subscription';
import { urlContainsKey, type ListedWebhook } from './read-webhooks';
import { RegistrationStore } from './registration.store';

/** Bounds the response of the API. */
const MAX_SHOWN = 100;

/** Webhooks at Co-Pilot with neither a key nor an id of ours. They are shown for information and never touched. */
@Injectable()
export class ForeignWebhooks {
  private listed: readonly ListedWebhook[] = [];

  constructor(private readonly registrations: RegistrationStore) {}

  /** Replaces the list by what Co-Pilot returns now. */
  update(listed: readonly ListedWebhook[]): void {
    this.listed = listed;
  }

  /** Describes where Co-Pilot lists the webhook with this id; null if it does not. */
  describeLocation(webhookId: string): string | null {
    const found = this.listed.find((one) => hasId(one, webhookId));
    if (found === undefined) return null;
    if (this.registrations.all().some(({ key }) => urlContainsKey(found, key))) return 'at our URL';
    return found.url === null ? 'without a URL' : `at ${maskUrl(found.url)}, which is not ours`;
  }

  all(): ForeignWebhook[] {
    const ours = this.registrations.all();
    const isOurs = (one: ListedWebhook) =>
      ours.some(
        ({ key, webhookId, idConfirmed }) =>
          urlContainsKey(one, key) || (idConfirmed && hasId(one, webhookId)),
      );
    return this.listed
      .filter((one) => !isOurs(one))
      .slice(0, MAX_SHOWN)
      .map(({ webhookId, url, events, active }) => ({
        webhook_id: webhookId,
        url: url === null ? null : maskUrl(url),
        events: events ?? [],
        active,
      }));
  }
}

function hasId({ webhookId }: ListedWebhook, id: string | null): boolean {
  return webhookId !== null && webhookId === id;
}

/** Keeps enough to recognize the owner; the end of the path and the query may be secret. */
export function maskUrl(url: string): string {
  if (!URL.canParse(url)) return '…';
  const { protocol, host, pathname } = new URL(url);
  const [first, ...rest] = pathname.split('/').filter(Boolean);
  return `${protocol}//${host}/${first !== undefined && rest.length > 0 ? `${first}/` : ''}…`;
}
