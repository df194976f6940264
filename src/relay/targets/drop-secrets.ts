import type { FieldError } from '../ground/relay-error';
import type { TargetPatch } from '../../contract/target';
import type { TargetSettings } from './target-record';

export const REENTER_SECRETS =
  'Secrets are used only for the address they were entered for (scheme, host and port; of messages also the recipient: format, path and query), and only with the same certificate verification. Enter them again, or remove those that are not needed.';

/** Which certificates a target without TLS settings trusts. */
const DEFAULT_TRUST = { ca: null, verify: true };

/** Whether two URLs have different origins (RFC 6454, 4), also of mail servers, whose `origin` is `null`. */
export const isOtherOrigin = (one: string | null, other: string) =>
  one === null || originOf(one) !== originOf(other);

function originOf(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/**
 * Whether messages would get another recipient, whom path or query name: the `from` and `to` of an e-mail, a topic, a
 * channel. With another format, a later change of them would not be noticed.
 */
export function changesRecipient(
  before: TargetSettings,
  { url, format = before.format }: TargetPatch,
): boolean {
  if (before.url === null || before.format === 'json') return false;
  return format !== before.format || (url !== undefined && pathOf(url) !== pathOf(before.url));
}

/**
 * The settings that may be kept for another origin: everything except secrets. Otherwise a user who may change the
 * URL could have the secrets sent to a server of their choice.
 * @param errors receives an error for each secret that the change does not contain
 */
export function dropSecrets(
  before: TargetSettings,
  wanted: TargetPatch,
  errors: FieldError[],
): TargetSettings {
  const retained = dropCredentials(before, wanted, errors);
  if (wanted.new_secret !== true)
    errors.push({
      path: 'new_secret',
      message: 'the signing secret cannot be kept; true creates a new one, which the response shows once',
    });
  return retained;
}

/**
 * The settings that may be kept for another recipient: everything except what a service accepts the messages by.
 * @param errors receives an error for each secret header and private key that the change does not contain
 */
export function dropCredentials(
  before: TargetSettings,
  wanted: TargetPatch,
  errors: FieldError[],
): TargetSettings {
  const retained = dropSecretHeaders(before, wanted, errors);
  if (wanted.tls === undefined && before.tls !== null && before.tls.key !== null)
    errors.push({ path: 'tls.key', message: 'the private key must be entered again' });
  return { ...retained, tls: retained.tls && { ...retained.tls, key: null } };
}

/** Whether a change makes certificates trusted that were not trusted before. */
export function weakensTrust(before: TargetSettings, { url, tls }: TargetPatch): boolean {
  const address = url ?? before.url;
  if (tls === undefined || address === null || address.startsWith('http:')) return false;
  const { ca, verify } = before.tls ?? DEFAULT_TRUST;
  return (tls?.ca ?? null) !== ca || (verify && tls?.verify === false);
}

/**
 * The settings that may be kept if other certificates are trusted: everything except secret headers.
 * @param errors receives an error for each secret header that the change does not contain
 */
export function dropSecretHeaders(
  before: TargetSettings,
  wanted: TargetPatch,
  errors: FieldError[],
): TargetSettings {
  if (wanted.headers === undefined)
    for (const { name } of before.headers.filter(({ secret }) => secret))
      errors.push({ path: 'headers', message: `the value of ${name} must be entered again` });
  return { ...before, headers: before.headers.filter(({ secret }) => !secret) };
}
