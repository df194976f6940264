import type { Problem } from '../../contract/problem';
import type { TargetPatch } from '../../contract/target';
import { DEFAULT_POLICY, type TargetPolicy } from '../../contract/target-policy';
import { RelayError } from '../ground/relay-error';
import { refuseCredentials } from './address-credentials';
import { resolveHeaders } from './resolve-headers';
import { ENTER_AGAIN, isOtherOrigin, resolveOrigin, resolveTrust, trustsOthers } from './resolve-origin';
import { resolveTls } from './resolve-tls';
import type { TargetSettings } from './target-record';

/**
 * What is wanted of a target, made whole by what it is already, and checked where a schema cannot. The filter is checked
 * where it is compiled.
 * @param before null for a new target
 * @returns the settings that were named, and those only
 * @throws RelayError `target_refused`, 422, every fault with its path
 */
export function resolveSettings(wanted: TargetPatch, before: TargetSettings | null): Partial<TargetSettings> {
  const { policy, headers, tls, new_secret: _, ...plain } = wanted;
  const faults: NonNullable<Problem['errors']> = [];
  if (wanted.url !== undefined) refuseCredentials(wanted.url, faults);
  const moves = before !== null && wanted.url !== undefined && isOtherOrigin(before.url, wanted.url);
  const trusts = before !== null && trustsOthers(before, wanted);
  const settle = moves ? resolveOrigin : trusts ? resolveTrust : null;
  const kept = before && settle ? settle(before, wanted, faults) : before;
  const settled: Partial<TargetSettings> = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  );
  // Of the policy too only what is named changes; it has no field that can be undefined.
  if (policy !== undefined)
    settled.policy = { ...(before?.policy ?? DEFAULT_POLICY), ...(policy as Partial<TargetPolicy>) };
  if (headers !== undefined) settled.headers = resolveHeaders(headers, kept?.headers ?? [], faults);
  if (tls !== undefined) settled.tls = tls && resolveTls(tls, kept?.tls ?? null, faults);
  if (faults.length === 0) return settled;
  throw new RelayError('target_refused', 422, 'A target cannot have these settings.', {
    ...((moves || trusts) && { remedy: ENTER_AGAIN }),
    errors: faults,
  });
}
