/**
 * Whether this is accepted as a webhook id, and may be put into a path. The documented form is `wh_<digits>` (2.2);
 * other ids are tolerated if they are safe in a URL.
 */
export function isWebhookId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value);
}
