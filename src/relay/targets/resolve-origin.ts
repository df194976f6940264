import type { Problem } from '../../contract/problem';
import type { TargetPatch } from '../../contract/target';
import type { TargetSettings } from './target-record';

type Faults = NonNullable<Problem['errors']>;

export const ENTER_AGAIN =
  'Secrets go only to the origin (scheme, host and port) that they were given for, and only where its certificate is verified as it was then. Give them again, or leave out what is not needed.';

/** Of a target without TLS settings. */
const DEFAULT_TRUST = { ca: null, verify: true };

/** Whether requests to the one address and the other go to different origins (RFC 6454, 4). */
export const isOtherOrigin = (one: string, other: string) => new URL(one).origin !== new URL(other).origin;

/**
 * What of a target's settings may be carried over to another origin: everything but its secrets. Otherwise whoever may
 * change an address could have them sent to one of his own.
 * @param faults takes each secret that a change says nothing of, with its path
 */
export function resolveOrigin(before: TargetSettings, wanted: TargetPatch, faults: Faults): TargetSettings {
  const kept = resolveTrust(before, wanted, faults);
  if (wanted.tls === undefined && before.tls !== null && before.tls.key !== null)
    faults.push({ path: 'tls.key', message: 'the private key has to be given again' });
  if (wanted.new_secret !== true)
    faults.push({
      path: 'new_secret',
      message: 'the signing secret stays behind: true makes a new one, which the answer shows once',
    });
  return { ...kept, tls: kept.tls && { ...kept.tls, key: null } };
}

/** Whether a change lets a server answer in the target's place that could not before. */
export function trustsOthers(before: TargetSettings, { url = before.url, tls }: TargetPatch): boolean {
  if (tls === undefined || !url.startsWith('https:')) return false;
  const { ca, verify } = before.tls ?? DEFAULT_TRUST;
  return (tls?.ca ?? null) !== ca || (verify && tls?.verify === false);
}

/** What may be carried over where other certificates are trusted: the headers that are secret would reach whoever has one. */
export function resolveTrust(before: TargetSettings, wanted: TargetPatch, faults: Faults): TargetSettings {
  if (wanted.headers === undefined)
    for (const { name } of before.headers.filter(({ secret }) => secret))
      faults.push({ path: 'headers', message: `the value of ${name} has to be given again` });
  return { ...before, headers: before.headers.filter(({ secret }) => !secret) };
}
