import { isDeepStrictEqual } from 'node:util';
import type { ManifestEntry } from '../../contract/manifest';
import type { TargetPatch } from '../../contract/target';
import type { TransformSettings } from '../../contract/transform';
import { defaultEvents, defaultPolicy } from '../targets/resolve-settings';
import type { TargetRecord } from '../targets/target-record';

/** The change that an entry asks for: what it leaves out has its default, except `enabled` and secrets. */
export function patchOf(entry: ManifestEntry) {
  const { renamed_from: _, secret, format = 'json', events, policy, enabled, transform, ...given } = entry;
  return {
    filter: null,
    signature: null,
    ed25519: false,
    headers: [],
    tls: null,
    ...given,
    transform: transform ? { ...transform, tests: transform.tests ?? [] } : null,
    format,
    events: events ?? defaultEvents(format),
    policy: { ...defaultPolicy(format), ...policy },
    ...(enabled !== undefined && { enabled }),
    ...(secret !== undefined && { new_secret: true as const }),
  } satisfies TargetPatch;
}

/**
 * The entry that leaves a target as it is, without secrets. Whether a 410 has disabled it is no setting.
 * @param isMasked whether payloads are masked for the caller, and so are tests, which it then lacks
 */
export function entryOf(target: TargetRecord & { url: string }, isMasked: boolean): ManifestEntry {
  const { name, url, format, events, filter, enabled, disabled, policy, headers, tls } = target;
  const { signature, ed25519, transform } = target;
  const usual = defaultPolicy(format);
  const changed = Object.entries(policy).filter(
    ([field, value]) => !isDeepStrictEqual(value, usual[field as keyof typeof usual]),
  );
  const { key: _, ...certificates } = tls ?? {};
  return {
    name,
    url,
    ...(format !== 'json' && { format }),
    ...(!isDeepStrictEqual(events, defaultEvents(format)) && { events }),
    ...(filter !== null && { filter }),
    ...(!enabled && disabled === null && { enabled }),
    ...(signature !== null && { signature }),
    ...(ed25519 && { ed25519 }),
    ...(changed.length > 0 && { policy: Object.fromEntries(changed) }),
    ...(headers.length > 0 && {
      headers: headers.map(({ value, ...header }) => ({ ...header, ...(!header.secret && { value }) })),
    }),
    ...(transform !== null && { transform: entryOfTransform(transform, isMasked) }),
    ...(tls !== null && { tls: certificates as NonNullable<ManifestEntry['tls']> }),
  };
}

function entryOfTransform({ tests = [], ...transform }: TransformSettings, isMasked: boolean) {
  return { ...transform, ...(!isMasked && tests.length > 0 && { tests }) };
}
