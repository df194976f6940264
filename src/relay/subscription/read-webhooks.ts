import { z } from 'zod';
import { isWebhookId } from './webhook-id';

const record = z.record(z.string(), z.unknown());
const eventTypes = z.array(z.string().max(200)).max(200);

/** How deep records may be nested in a response; a list lies no deeper. */
const MAX_DEPTH = 6;

/** A webhook as Co-Pilot returns it. Fields that are missing or not as documented are null. */
export interface ListedWebhook {
  webhookId: string | null;
  url: string | null;
  events: string[] | null;
  active: boolean | null;
}

/**
 * The id in the response to a create: in the record itself, or wrapped in `data` or `webhook`. The document does not
 * show the response (4.3), so null is not a failure.
 */
export function readCreatedId(body: unknown): string | null {
  const outer = record.safeParse(body).data;
  if (outer === undefined) return null;
  return idOf(outer) ?? readWrapped(outer['data']) ?? readWrapped(outer['webhook']);
}

function readWrapped(value: unknown): string | null {
  const inner = record.safeParse(value).data;
  return inner === undefined ? null : idOf(inner);
}

/**
 * The webhooks in a response. The document does not show its shape (4.4 and 4.5), so records are searched at any
 * depth: whatever has a webhook id or a URL is one.
 */
export function readWebhooks(body: unknown): ListedWebhook[] {
  return recordsIn(body, 0).map((found) => ({
    webhookId: idOf(found),
    url: typeof found['url'] === 'string' ? found['url'] : null,
    events: eventTypes.safeParse(found['events']).data ?? null,
    active: typeof found['active'] === 'boolean' ? found['active'] : null,
  }));
}

/** Whether the path of a webhook's URL contains this key of ours. Keys are random, so this proves it is ours. */
export function urlContainsKey({ url }: ListedWebhook, key: string): boolean {
  return url !== null && url.split(/[/?#]/).includes(key);
}

function recordsIn(value: unknown, depth: number): Record<string, unknown>[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => recordsIn(item, depth + 1));
  const found = record.safeParse(value).data;
  if (found === undefined) return [];
  if (idOf(found) !== null) return [found];
  const within = Object.values(found).flatMap((inner) => recordsIn(inner, depth + 1));
  return within.length === 0 && typeof found['url'] === 'string' ? [found] : within;
}

/** `webhook_id` is the document's name (2.2); a plain `id` counts where it has the document's form. */
function idOf(candidate: Record<string, unknown>): string | null {
  const named = candidate['webhook_id'];
  if (isWebhookId(named)) return named;
  const plain = candidate['id'];
  return typeof plain === 'string' && /^wh_\d+$/.test(plain) ? plain : null;
}
