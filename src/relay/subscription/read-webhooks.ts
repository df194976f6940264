import { z } from 'zod';

const webhookId = z.string().min(1).max(200);
const record = z.record(z.string(), z.unknown());

/** Where records of an answer may lie inside one another; deeper is nobody's list. */
const DEEPEST = 6;

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
 * The webhooks of a list whose address is exactly `url`: their ids, null for one that names none. The list's shape is not
 * shown (document, 4.4), and our address occurs nowhere else, so records are looked for wherever they lie.
 */
export function readWebhooksAt(body: unknown, url: string): (string | null)[] {
  return recordsIn(body, 0)
    .filter((candidate) => candidate['url'] === url)
    .map(idOf);
}

function recordsIn(value: unknown, depth: number): Record<string, unknown>[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item) => recordsIn(item, depth + 1));
  const found = record.safeParse(value).data;
  if (found === undefined) return [];
  return [found, ...Object.values(found).flatMap((inner) => recordsIn(inner, depth + 1))];
}

/** `webhook_id` is the document's name (2.2); a plain `id` counts where it has the document's form. */
function idOf(candidate: Record<string, unknown>): string | null {
  const named = webhookId.safeParse(candidate['webhook_id']).data;
  if (named !== undefined) return named;
  const plain = candidate['id'];
  return typeof plain === 'string' && /^wh_\d+$/.test(plain) ? plain : null;
}
