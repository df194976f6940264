/**
 * Whether this is taken for a webhook's id, and so may become a part of a path. The document's form is `wh_<digits>` (2.2);
 * somewhat more is put up with, but nothing that a URL's parser could take for anything else.
 */
export function isWebhookId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value);
}
