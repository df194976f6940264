import type { Filter } from '../../contract/filter';
import type { TargetPolicy } from '../../contract/target-policy';
import type { ContentMatcher } from '../filters/compile-filter';
import type { EventMatcher } from './match-event';

/** What of a target the operator chooses. */
export interface TargetSettings {
  name: string;
  url: string;
  events: string[];
  filter: Filter | null;
  /** A disabled target takes no new events; what it took before still goes out. */
  enabled: boolean;
  policy: TargetPolicy;
  /** What the operator adds to each request, names in lower case. */
  headers: readonly ExtraHeader[];
  tls: TlsSettings | null;
}

/** A target as the daemon keeps it at hand. Times are ms since 1970. */
export interface TargetRecord extends TargetSettings {
  /** Its key in the database, and in the keys of its deliveries. */
  number: number;
  id: string;
  /** Of `events`. */
  accepts: EventMatcher;
  /** Of `filter`; null where there is none. */
  matches: ContentMatcher | null;
  /** A paused target takes events and keeps them until it is resumed. */
  paused: { at: number; reason: string } | null;
  /** The target wanted no more: Switchboard disabled it, and ends what was open then. Null where the operator disabled it. */
  disabled: { at: number; reason: string } | null;
  /** The bytes behind `whsec_`. */
  signingKey: Buffer;
  /** What signed before the last rotation, and signs too until then. */
  signingKeyBefore: { key: Buffer; until: number } | null;
  createdAt: number;
  updatedAt: number;
}

export interface ExtraHeader {
  name: string;
  value: string;
  /** Sealed at rest and never shown again. */
  secret: boolean;
}

/** PEM texts. */
export interface TlsSettings {
  /** Trusted instead of the certificate authorities that everybody trusts. */
  ca: string | null;
  cert: string | null;
  key: string | null;
  /** False: whoever answers there gets the events. */
  verify: boolean;
}

/** The keys that sign at a time, the one that stays first. */
export function signingKeys(
  { signingKey, signingKeyBefore }: Pick<TargetRecord, 'signingKey' | 'signingKeyBefore'>,
  now: number,
): Buffer[] {
  const overlaps = signingKeyBefore !== null && now < signingKeyBefore.until;
  return overlaps ? [signingKey, signingKeyBefore.key] : [signingKey];
}

const SECRET_PREFIX = 'whsec_';

/** The secret as Standard Webhooks writes it. */
export const secretText = (key: Buffer) => SECRET_PREFIX + key.toString('base64');

export const secretKey = (text: string) => Buffer.from(text.slice(SECRET_PREFIX.length), 'base64');

/** Shorter values of a query are no keys, and may stand in any answer. */
const KEY_LENGTH = 16;

/** What nobody may see of what is sent to a target, should it be repeated: secret headers, and keys in its address. */
export function secretsOf({ url, headers }: Pick<TargetSettings, 'url' | 'headers'>): readonly string[] {
  if (!url.includes('?') && !headers.some(({ secret }) => secret)) return [];
  const values = headers.filter(({ secret }) => secret).map(({ value }) => value);
  // The scheme before the credentials (RFC 9110, 11.4) is often taken off.
  const credentials = values.map((value) => value.slice(value.indexOf(' ') + 1));
  const query = [...new URL(url).searchParams.values()].filter(({ length }) => length >= KEY_LENGTH);
  return [...values, ...credentials, ...query];
}
