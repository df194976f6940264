import { z } from 'zod';
import { isWebhookId } from './webhook-id';

const record = z.record(z.string(), z.unknown());
const eventTypes = z.array(z.string().max(200)).max(200);

/** Where records of an answer may lie inside one another; deeper is nobody's list. */
const DEEPEST = 6;

/** A webhook as Co-Pilot shows it: whatever it does not tell, or tells in another way than the document has it, is null. */
export interface ShownWebhook {
  webhookId: string | null;
  url: string | null;
  events: string[] | null;
  active: boolean | null;
}

/**
 * The id in what a create answered: the record itself, or wrapped in `data` or `webhook`. The answer is not shown
 * (document, 4.3), so null is no failure.
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
 * The webhooks in an answer. Its shape is not shown (document, 4.4 and 4.5), so records are looked for wherever they lie:
 * what has a webhook's id, or an address, is one.
 */
export function readWebhooks(body: unknown): ShownWebhook[] {
  return recordsIn(body, 0).map((found) => ({
    webhookId: idOf(found),
    url: typeof found['url'] === 'string' ? found['url'] : null,
    events: eventTypes.safeParse(found['events']).data ?? null,
    active: typeof found['active'] === 'boolean' ? found['active'] : null,
  }));
}

/** Whether a webhook's address has this key of ours for a part of its path. The key is random, and occurs nowhere else. */
export function carriesKey({ url }: ShownWebhook, key: string): boolean {
  return url !== null && url.split(/[/?#]/).includes(key);
}

function recordsIn(value: unknown, depth: number): Record<string, unknown>[] {
  if (depth > DEEPEST) return [];
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
