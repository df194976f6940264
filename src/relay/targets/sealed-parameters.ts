import type { TargetPatch } from '../../contract/target';
import { splitCredentials } from './address-credentials';
import type { TargetSettings } from './target-record';

/** The secret header that stores the integration key of PagerDuty. */
export const ROUTING_KEY_HEADER = 'x-routing-key';

/**
 * Moves the secrets that a URL may contain to secret headers, which are encrypted at rest and never shown: the user
 * name and password of a mail server, and the `routing_key` of PagerDuty.
 * @param before null for a new target
 */
export function sealParameters(wanted: TargetPatch, before: TargetSettings | null): TargetPatch {
  const { url, format = before?.format } = wanted;
  const split = url === undefined ? null : splitSecret(url, format);
  if (split === null) return wanted;
  const { name } = split;
  const current = before?.headers.map((one) => (one.secret ? { name: one.name, secret: true } : one));
  const others = (wanted.headers ?? current ?? []).filter((header) => header.name !== name);
  return {
    ...wanted,
    url: split.url,
    headers: [...others, { name, value: split.value, secret: true }],
  };
}

function splitSecret(
  address: string,
  format: TargetSettings['format'] | undefined,
): { url: string; name: string; value: string } | null {
  if (format === 'email') {
    const split = splitCredentials(address);
    return split && { url: split.url, name: 'authorization', value: split.authorization };
  }
  const url = new URL(address);
  const key = url.searchParams.get('routing_key');
  if (format !== 'pagerduty' || key === null) return null;
  url.searchParams.delete('routing_key');
  return { url: url.href, name: ROUTING_KEY_HEADER, value: key };
}
