import { ALERT_EVENTS } from '../../contract/constants';
import { DEFAULT_POLICY } from '../../contract/default-policy';
import type { TargetPatch } from '../../contract/target';
import type { TargetPolicy } from '../../contract/target-policy';
import { RelayError, type FieldError } from '../ground/relay-error';
import { rejectCredentials } from './address-credentials';
import { checkFormat } from './check-format';
import {
  REENTER_SECRETS,
  changesRecipient,
  dropCredentials,
  dropSecretHeaders,
  dropSecrets,
  isOtherOrigin,
  weakensTrust,
} from './drop-secrets';
import { resolveTls } from './resolve-tls';
import { isReservedHeader } from './reserved-headers';
import { sealParameters } from './sealed-parameters';
import type { ExtraHeader, TargetSettings } from './target-record';

/** Otherwise a message that is retried could arrive after the one that says that its alert is resolved. */
const IN_ORDER = { ordering: 'strict' } as const;

/** What is not requested for a new target, or for a test of one. */
const NEW_TARGET = { format: 'json', url: '', events: ALERT_EVENTS, headers: [] } as const;

/**
 * Completes requested settings with the current ones, and checks what the schema cannot check. The filter is
 * checked later, when it is compiled.
 * @param before null for a new target
 * @returns only the settings that were requested
 * @throws RelayError `target_invalid`, 422, with every invalid field
 */
export function resolveSettings(
  requested: TargetPatch,
  before: TargetSettings | null,
): Partial<TargetSettings> {
  const wanted = sealParameters(requested, before);
  const { policy, headers, tls, new_secret: _, ...plain } = wanted;
  const errors: FieldError[] = [];
  if (wanted.url !== undefined) rejectCredentials(wanted.url, errors);
  const drop = before && secretsToDrop(before, wanted);
  const retained = before && drop ? drop(before, wanted, errors) : before;
  const resolved: Partial<TargetSettings> = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  );
  // Only the named policy fields change; no field can be undefined.
  const startsMessages = (before?.format ?? 'json') === 'json' && (wanted.format ?? 'json') !== 'json';
  if (policy !== undefined || startsMessages)
    resolved.policy = {
      ...(before?.policy ?? DEFAULT_POLICY),
      ...(startsMessages && IN_ORDER),
      ...(policy as Partial<TargetPolicy> | undefined),
    };
  if (headers !== undefined) resolved.headers = resolveHeaders(headers, retained?.headers ?? [], errors);
  if (tls !== undefined) resolved.tls = tls && resolveTls(tls, retained?.tls ?? null, errors);
  checkFormat({ ...NEW_TARGET, ...retained, ...resolved }, errors);
  if (errors.length === 0) return resolved;
  throw new RelayError('target_invalid', 422, 'The settings of the target are invalid.', {
    ...(drop !== null && { remedy: REENTER_SECRETS }),
    errors,
  });
}

function secretsToDrop(before: TargetSettings, wanted: TargetPatch) {
  if (wanted.url !== undefined && isOtherOrigin(before.url, wanted.url)) return dropSecrets;
  if (changesRecipient(before, wanted)) return dropCredentials;
  return weakensTrust(before, wanted) ? dropSecretHeaders : null;
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
