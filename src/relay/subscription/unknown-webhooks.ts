import { Injectable } from '@nestjs/common';
import type { ForeignWebhook } from '../../contract/subscription';
import { carriesKey, type ShownWebhook } from './read-webhooks';
import { Registrations } from './registrations';

const MOST = 100;

/** Webhooks that Co-Pilot lists and that carry neither a key nor an id of ours. Shown, so that nobody wonders; never touched. */
@Injectable()
export class ForeignWebhooks {
  private listed: readonly ShownWebhook[] = [];

  constructor(private readonly registrations: Registrations) {}

  /** Takes note of what Co-Pilot lists now. */
  note(listed: readonly ShownWebhook[]): void {
    this.listed = listed;
  }

  /** In words, where Co-Pilot lists the webhook of this id; null where it does not. */
  placeOf(webhookId: string): string | null {
    const found = this.listed.find((one) => isOf(one, webhookId));
    if (found === undefined) return null;
    if (this.registrations.all().some(({ key }) => carriesKey(found, key))) return 'at our address';
    return found.url === null ? 'without its address' : `at ${maskAddress(found.url)}, which is not ours`;
  }

  all(): ForeignWebhook[] {
    const ours = this.registrations.all();
    const isOurs = (one: ShownWebhook) =>
      ours.some(
        ({ key, webhookId, idConfirmed }) => carriesKey(one, key) || (idConfirmed && isOf(one, webhookId)),
      );
    return this.listed
      .filter((one) => !isOurs(one))
      .slice(0, MOST)
      .map(({ webhookId, url, events, active }) => ({
        webhook_id: webhookId,
        url: url === null ? null : maskAddress(url),
        events: events ?? [],
        active,
      }));
  }
}

function isOf({ webhookId }: ShownWebhook, id: string | null): boolean {
  return webhookId !== null && webhookId === id;
}

/** Enough to recognise whose it is. The last part of a path, and a query, may be what nobody else is to know. */
export function maskAddress(address: string): string {
  if (!URL.canParse(address)) return '…';
  const { protocol, host, pathname } = new URL(address);
  const [first, ...rest] = pathname.split('/').filter(Boolean);
  return `${protocol}//${host}/${first !== undefined && rest.length > 0 ? `${first}/` : ''}…`;
}
