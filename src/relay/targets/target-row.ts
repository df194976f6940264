import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_POLICY, type TargetPolicy } from '../../contract/target-policy';
import type { Sealer } from '../secrets/sealer';
import { compileFilter } from '../filters/compile-filter';
import { eventMatcher } from './match-event';
import { secretKey, type TargetRecord, type TargetSettings, type TlsSettings } from './target-record';
import type { TargetEntity } from './target.entity';

/** What each sealed column is sealed for. */
const SECRET = 'targets.secret';
const SECRET_BEFORE = 'targets.secret_before';
const HEADERS = 'targets.secret_headers';
const TLS = 'targets.tls';

type Pairs = [name: string, value: string][];

/** The columns that hold some settings, by name. */
export function settingsColumns(settings: Partial<TargetSettings>, sealer: Sealer): Record<string, unknown> {
  const { name, url, events, filter, enabled, policy, headers, tls } = settings;
  const pairs = (secret: boolean): Pairs =>
    (headers ?? []).filter((one) => one.secret === secret).map((one) => [one.name, one.value]);
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(filter !== undefined && { filter: filter && JSON.stringify(filter) }),
    ...(enabled !== undefined && { enabled }),
    ...(enabled === true && disabledColumns(null)),
    ...(policy !== undefined && { policy: JSON.stringify(otherThanDefault(policy)) }),
    ...(headers !== undefined && {
      headers: JSON.stringify(pairs(false)),
      secret_headers: pairs(true).length > 0 ? sealer.seal(JSON.stringify(pairs(true)), HEADERS) : null,
    }),
    ...(tls !== undefined && { tls: tls && sealer.seal(JSON.stringify(tls), TLS) }),
  };
}

/** The columns of the secrets that sign, as texts. */
export function secretColumns(
  secret: string,
  before: { secret: string; until: number } | null,
  sealer: Sealer,
): Record<string, unknown> {
  return {
    secret: sealer.seal(secret, SECRET),
    secret_before: before && sealer.seal(before.secret, SECRET_BEFORE),
    secret_before_until: before && before.until,
  };
}

export const disabledColumns = (disabled: TargetRecord['disabled']) => ({
  disabled_at: disabled && disabled.at,
  disabled_reason: disabled && disabled.reason,
});

/** What is worked out of the settings once, and used for each event. */
export const matchersOf = ({ events, filter }: Pick<TargetSettings, 'events' | 'filter'>) => ({
  accepts: eventMatcher(events),
  matches: filter === null ? null : compileFilter(filter),
});

export function recordOf(entity: TargetEntity, sealer: Sealer): TargetRecord {
  const { number, id, name, url, events, filter, enabled, createdAt, updatedAt } = entity;
  const { secretHeaders, tls, secret, secretBefore, secretBeforeUntil, pausedAt, pausedReason } = entity;
  const { disabledAt, disabledReason } = entity;
  const sealedPairs: Pairs =
    secretHeaders === null ? [] : (JSON.parse(sealer.open(secretHeaders, HEADERS)) as Pairs);
  return {
    number,
    id,
    name,
    url,
    events,
    filter,
    enabled,
    policy: { ...DEFAULT_POLICY, ...entity.policy } as TargetPolicy,
    headers: [
      ...entity.headers.map(([header, value]) => ({ name: header, value, secret: false })),
      ...sealedPairs.map(([header, value]) => ({ name: header, value, secret: true })),
    ],
    tls: tls === null ? null : (JSON.parse(sealer.open(tls, TLS)) as TlsSettings),
    ...matchersOf({ events, filter }),
    paused: pausedAt === null ? null : { at: pausedAt, reason: pausedReason ?? '' },
    disabled: disabledAt === null ? null : { at: disabledAt, reason: disabledReason ?? '' },
    signingKey: secretKey(sealer.open(secret, SECRET)),
    signingKeyBefore:
      secretBefore === null
        ? null
        : { key: secretKey(sealer.open(secretBefore, SECRET_BEFORE)), until: secretBeforeUntil ?? 0 },
    createdAt,
    updatedAt,
  };
}

/** Only this is stored, so that a better default reaches the targets that have it. */
function otherThanDefault(policy: TargetPolicy): Partial<TargetPolicy> {
  const changed = Object.entries(policy).filter(
    ([field, value]) => !isDeepStrictEqual(value, DEFAULT_POLICY[field as keyof TargetPolicy]),
  );
  return Object.fromEntries(changed);
}
