import { DEFAULT_POLICY } from '../../contract/default-policy';
import type { TargetPatch } from '../../contract/target';
import type { TargetPolicy } from '../../contract/target-policy';
import { RelayError, type FieldError } from '../ground/relay-error';
import { rejectCredentials } from './address-credentials';
import { REENTER_SECRETS, isOtherOrigin, dropSecrets, dropSecretHeaders, weakensTrust } from './drop-secrets';
import { resolveTls } from './resolve-tls';
import { isReservedHeader } from './reserved-headers';
import type { ExtraHeader, TargetSettings } from './target-record';

/**
 * Completes requested settings with the current ones, and checks what the schema cannot check. The filter is
 * checked later, when it is compiled.
 * @param before null for a new target
 * @returns only the settings that were requested
 * @throws RelayError `target_invalid`, 422, with every invalid field
 */
export function resolveSettings(wanted: TargetPatch, before: TargetSettings | null): Partial<TargetSettings> {
  const { policy, headers, tls, new_secret: _, ...plain } = wanted;
  const errors: FieldError[] = [];
  if (wanted.url !== undefined) rejectCredentials(wanted.url, errors);
  const originChanges = before !== null && wanted.url !== undefined && isOtherOrigin(before.url, wanted.url);
  const weakens = before !== null && weakensTrust(before, wanted);
  const drop = originChanges ? dropSecrets : weakens ? dropSecretHeaders : null;
  const retained = before && drop ? drop(before, wanted, errors) : before;
  const resolved: Partial<TargetSettings> = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  );
  // Only the named policy fields change; no field can be undefined.
  if (policy !== undefined)
    resolved.policy = { ...(before?.policy ?? DEFAULT_POLICY), ...(policy as Partial<TargetPolicy>) };
  if (headers !== undefined) resolved.headers = resolveHeaders(headers, retained?.headers ?? [], errors);
  if (tls !== undefined) resolved.tls = tls && resolveTls(tls, retained?.tls ?? null, errors);
  if (errors.length === 0) return resolved;
  throw new RelayError('target_invalid', 422, 'The settings of the target are invalid.', {
    ...((originChanges || weakens) && { remedy: REENTER_SECRETS }),
    errors,
  });
}

/**
 * The new headers of a target. A secret header without a value keeps its current value.
 * @param errors receives an error for each invalid field
 */
function resolveHeaders(
  wanted: NonNullable<TargetPatch['headers']>,
  before: readonly ExtraHeader[],
  errors: FieldError[],
): ExtraHeader[] {
  const names = wanted.map(({ name }) => name);
  return wanted.map(({ name, value, secret }, i) => {
    if (isReservedHeader(name))
      errors.push({ path: `headers.${i}.name`, message: `${name} is set by Switchboard` });
    if (names.indexOf(name) < i)
      errors.push({ path: `headers.${i}.name`, message: `${name} is listed twice` });
    const current = secret ? before.find((one) => one.name === name && one.secret)?.value : undefined;
    const resolved = value ?? current;
    if (resolved === undefined)
      errors.push({ path: `headers.${i}.value`, message: `the value of ${name} is missing` });
    return { name, value: resolved ?? '', secret };
  });
}
