import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_POLICY } from '../../contract/default-policy';
import type { TargetPolicy } from '../../contract/target-policy';
import type { Sealer } from '../secrets/sealer';
import { isSentAsMessage } from './system-event-data';
import { compileFilter } from '../filters/compile-filter';
import { eventMatcher } from './match-event';
import { secretKey, type TargetRecord, type TargetSettings, type TlsSettings } from './target-record';
import type { TargetEntity } from './target.entity';

/** The purpose that each encrypted column is bound to; see `Sealer`. */
const SECRET = 'targets.secret';
const PREVIOUS_SECRET = 'targets.previous_secret';
const HEADERS = 'targets.secret_headers';
const TLS = 'targets.tls';

type Pairs = [name: string, value: string][];

/** The columns of a target's row that store the given settings. */
export function settingsColumns(settings: Partial<TargetSettings>, sealer: Sealer): Record<string, unknown> {
  const { name, url, listener, format, events, filter, enabled, policy, headers, tls } = settings;
  const { signature, ed25519, transform } = settings;
  const pairs = (secret: boolean): Pairs =>
    (headers ?? []).filter((one) => one.secret === secret).map((one) => [one.name, one.value]);
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url: url ?? '' }),
    ...(listener !== undefined && { listener: listener && JSON.stringify(listener) }),
    ...(format !== undefined && { format }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(filter !== undefined && { filter: filter && JSON.stringify(filter) }),
    ...(enabled !== undefined && { enabled }),
    ...(enabled === true && disabledColumns(null)),
    ...(policy !== undefined && { policy: JSON.stringify(changedFields(policy)) }),
    ...(headers !== undefined && {
      headers: JSON.stringify(pairs(false)),
      secret_headers: pairs(true).length > 0 ? sealer.seal(JSON.stringify(pairs(true)), HEADERS) : null,
    }),
    ...(tls !== undefined && { tls: tls && sealer.seal(JSON.stringify(tls), TLS) }),
    ...(signature !== undefined && { signature: signature && JSON.stringify(signature) }),
    ...(ed25519 !== undefined && { ed25519 }),
    ...(transform !== undefined && { transform: transform && JSON.stringify(transform) }),
  };
}

/** The columns of the signing secrets. */
export function secretColumns(
  secret: string,
  previous: { secret: string; until: number } | null,
  sealer: Sealer,
): Record<string, unknown> {
  return {
    secret: sealer.seal(secret, SECRET),
    previous_secret: previous && sealer.seal(previous.secret, PREVIOUS_SECRET),
    previous_secret_until: previous && previous.until,
  };
}

export const disabledColumns = (disabled: TargetRecord['disabled']) => ({
  disabled_at: disabled && disabled.at,
  disabled_reason: disabled && disabled.reason,
});

export const pausedColumns = (paused: TargetRecord['paused']) => ({
  paused_at: paused && paused.at,
  paused_reason: paused && paused.reason,
  paused_until: paused && paused.until,
});

/** Compiled once, and used for each event. */
export function matchersOf({
  events,
  filter,
  format,
}: Pick<TargetSettings, 'events' | 'filter' | 'format'>): Pick<TargetRecord, 'accepts' | 'matches'> {
  const accepts = eventMatcher(events);
  const matches = filter === null ? null : compileFilter(filter);
  if (format === 'json') return { accepts, matches };
  return {
    accepts,
    matches: (payload) => isSentAsMessage(payload) && (matches === null || matches(payload)),
  };
}

export function recordOf(entity: TargetEntity, sealer: Sealer): TargetRecord {
  const { policy, headers, secretHeaders, tls, secret, previousSecret, previousSecretUntil, ...rest } =
    entity;
  const { pausedAt, pausedReason, pausedUntil, disabledAt, disabledReason, deletedAt: _, ...plain } = rest;
  const sealedPairs: Pairs =
    secretHeaders === null ? [] : (JSON.parse(sealer.open(secretHeaders, HEADERS)) as Pairs);
  return {
    ...plain,
    transform: plain.transform && { tests: [], ...plain.transform },
    url: plain.listener === null ? plain.url : null,
    policy: { ...DEFAULT_POLICY, ...policy } as TargetPolicy,
    headers: [
      ...headers.map(([header, value]) => ({ name: header, value, secret: false })),
      ...sealedPairs.map(([header, value]) => ({ name: header, value, secret: true })),
    ],
    tls: tls === null ? null : (JSON.parse(sealer.open(tls, TLS)) as TlsSettings),
    ...matchersOf(plain),
    paused: pausedAt === null ? null : { at: pausedAt, reason: pausedReason ?? '', until: pausedUntil },
    disabled: disabledAt === null ? null : { at: disabledAt, reason: disabledReason ?? '' },
    signingKey: secretKey(sealer.open(secret, SECRET)),
    previousSigningKey:
      previousSecret === null
        ? null
        : { key: secretKey(sealer.open(previousSecret, PREVIOUS_SECRET)), until: previousSecretUntil ?? 0 },
  };
}

/** Only differences from the default are stored, so that a new default applies to existing targets. */
function changedFields(policy: TargetPolicy): Partial<TargetPolicy> {
  const changed = Object.entries(policy).filter(
    ([field, value]) => !isDeepStrictEqual(value, DEFAULT_POLICY[field as keyof TargetPolicy]),
  );
  return Object.fromEntries(changed);
}
