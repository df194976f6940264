import type { Filter } from '../../contract/filter';
import type { Routing, Target, TargetCreate } from '../../contract/target';
import type { TargetPolicy } from '../../contract/target-policy';
import type { TransformSettings } from '../../contract/transform';
import type { ContentMatcher } from '../filters/compile-filter';
import type { EventMatcher } from './match-event';

/** The settings of a target that the operator chooses. */
export interface TargetSettings {
  name: string;
  /** Null for a listener. */
  url: string | null;
  /** Set for a listener only. */
  listener: ListenerSettings | null;
  /** With another one than `json`, the target receives messages about alerts and outages only. */
  format: Target['format'];
  events: string[];
  filter: Filter | null;
  /** A disabled target receives no new events; queued deliveries are still sent. */
  enabled: boolean;
  policy: TargetPolicy;
  /** Additional request headers, with names in lower case. */
  headers: readonly ExtraHeader[];
  tls: TlsSettings | null;
  /** A signature beside that of Standard Webhooks, for receivers that verify those of another sender. */
  signature: Target['signature'];
  /** Whether requests are also signed with Ed25519. */
  ed25519: boolean;
  /** An expression that makes the body of requests; null: it is that of the event. */
  transform: TransformSettings | null;
}

/** What only a listener has: a target whose events are sent to the process that has connected for it. */
export interface ListenerSettings {
  /** Whether it is removed when its process has disconnected. */
  ephemeral: boolean;
  /** The id of the API token that created it; null if it was created with another login. */
  owner: string | null;
}

/** `owner`: the id of the API token that creates a listener. */
export type NewTarget = Omit<TargetCreate, 'backfill_since' | 'attach'> & { owner?: string | null };

/** A target in memory. Times are ms since 1970. */
export interface TargetRecord extends TargetSettings {
  /** The primary key, which is part of the keys of its deliveries. */
  number: number;
  id: string;
  /** Compiled from `events`. */
  accepts: EventMatcher;
  /** Compiled from `filter` and `format`; null if every content matches. */
  matches: ContentMatcher | null;
  /** Set if not the append of an event but the router creates its deliveries. */
  routing: Routing | null;
  /** Deliveries to a paused target are queued until it is resumed. */
  paused: TargetPauseRecord | null;
  /** Set by Switchboard after a 410 response, when it disables the target and ends its queued deliveries. */
  disabled: { at: number; reason: string } | null;
  /** The bytes behind `whsec_`. */
  signingKey: Buffer;
  /** The signing key before the last secret rotation, which also signs until `until`. */
  previousSigningKey: { key: Buffer; until: number } | null;
  /** The manifest that manages it; null if none does. */
  managedBy: string | null;
  /** Counts the changes of the expression and its content type; 0: there was none yet. */
  transformVersion: number;
  createdAt: number;
  updatedAt: number;
}

interface TargetPauseRecord {
  at: number;
  reason: string;
  /** When it is resumed automatically, on the scale of `TimeBounds.latest`; null if it is not. */
  until: number | null;
}

export interface ExtraHeader {
  name: string;
  value: string;
  /** Encrypted at rest, and not returned by the API. */
  secret: boolean;
}

/** PEM texts. */
export interface TlsSettings {
  /** Trusted instead of the well-known certificate authorities. */
  ca: string | null;
  cert: string | null;
  key: string | null;
  /** False: any server that responds receives the events. */
  verify: boolean;
}

/** The keys that sign at the time `now`, the current one first. */
export function signingKeys(
  { signingKey, previousSigningKey }: Pick<TargetRecord, 'signingKey' | 'previousSigningKey'>,
  now: number,
): Buffer[] {
  const overlaps = previousSigningKey !== null && now < previousSigningKey.until;
  return overlaps ? [signingKey, previousSigningKey.key] : [signingKey];
}

const SECRET_PREFIX = 'whsec_';

/** The secret as Standard Webhooks writes it. */
export const secretText = (key: Buffer) => SECRET_PREFIX + key.toString('base64');

export const secretKey = (text: string) => Buffer.from(text.slice(SECRET_PREFIX.length), 'base64');

/** Shorter parts of a URL are not keys, and may occur in any response. */
const MIN_KEY_LENGTH = 16;

/** Secrets that a target might echo: secret headers, and keys in the query or, for a message, the path of its URL. */
export function secretsOf({
  url,
  format,
  headers,
}: Pick<TargetSettings, 'url' | 'format' | 'headers'>): readonly string[] {
  if (format === 'json' && url?.includes('?') !== true && !headers.some(({ secret }) => secret)) return [];
  const values = headers.filter(({ secret }) => secret).map(({ value }) => value);
  // The credentials may be echoed without their scheme (RFC 9110, 11.4).
  const credentials = values.map((value) => value.slice(value.indexOf(' ') + 1));
  const parts = url === null ? [] : partsOf(new URL(url), format);
  return [...values, ...credentials, ...parts.filter(({ length }) => length >= MIN_KEY_LENGTH)];
}

const partsOf = ({ searchParams, pathname }: URL, format: Target['format']) => [
  ...searchParams.values(),
  ...(format === 'json' ? [] : pathname.split('/')),
];
