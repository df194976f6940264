import { isDeepStrictEqual } from 'node:util';
import { ALERT_EVENTS } from '../../contract/constants';
import { DEFAULT_POLICY, LISTENER_POLICY } from '../../contract/default-policy';
import type { TargetPatch } from '../../contract/target';
import type { TlsInput } from '../../contract/target-tls';
import type { TargetPolicy } from '../../contract/target-policy';
import { RelayError, type FieldError } from '../ground/relay-error';
import { rejectCredentials } from './address-credentials';
import { checkFormat } from './check-format';
import { checkSignature } from './check-signature';
import { checkTransform } from './check-transform';
import { checkRouting } from './routing';
import {
  REENTER_SECRETS,
  changesRecipient,
  dropCredentials,
  dropSecretHeaders,
  dropSecrets,
  isOtherOrigin,
  weakensTrust,
} from './drop-secrets';
import { isReservedHeader } from './reserved-headers';
import { sealParameters } from './sealed-parameters';
import type { ExtraHeader, NewTarget, TargetSettings, TlsSettings } from './target-record';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** Otherwise a message that is retried could arrive after the one that says that its alert is resolved. */
const IN_ORDER = { ordering: 'strict' } as const;

/** What is not requested for a new target, or for a test of one. */
const NEW_TARGET = {
  format: 'json',
  url: null,
  events: ALERT_EVENTS,
  filter: null,
  policy: DEFAULT_POLICY,
  headers: [],
  signature: null,
  ed25519: false,
  transform: null,
} as const;

export const defaultEvents = (format: TargetSettings['format']): string[] =>
  format === 'json' ? ['*'] : ALERT_EVENTS;

/** Of a target with an address. */
export const defaultPolicy = (format: TargetSettings['format']): TargetPolicy => ({
  ...DEFAULT_POLICY,
  ...(format !== 'json' && IN_ORDER),
});

/** The settings of a new target. @throws RelayError see `resolveSettings` */
export function newSettings({
  kind,
  ephemeral = false,
  owner = null,
  ...wanted
}: Omit<NewTarget, 'secret'>): TargetSettings {
  const events = wanted.events ?? defaultEvents(wanted.format);
  const listener = kind === 'listener' ? { ephemeral, owner } : null;
  return {
    url: null,
    filter: null,
    signature: null,
    ed25519: false,
    transform: null,
    ...resolveSettings({ ...wanted, events, listener }, null),
  } as TargetSettings;
}

/**
 * Completes requested settings with the current ones, and checks what the schema cannot check. The filter is checked
 * later, when it is compiled.
 * @param before null for a new target
 * @returns only the settings that were requested
 * @throws RelayError `target_invalid`, 422, with every invalid field
 */
export function resolveSettings(
  requested: TargetPatch & { listener?: TargetSettings['listener'] },
  before: TargetSettings | null,
): Partial<TargetSettings> {
  const wanted = sealParameters(requested, before);
  const { policy, headers, tls, transform, new_secret: _, force: __, ...plain } = wanted;
  const errors: FieldError[] = [];
  if (wanted.url !== undefined) rejectCredentials(wanted.url, errors);
  const isListener = ((before ?? requested).listener ?? null) !== null;
  if (isListener) rejectAddress(wanted, errors);
  const drop = before && secretsToDrop(before, wanted);
  const retained = before && drop ? drop(before, wanted, errors) : before;
  const resolved: Partial<TargetSettings> = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  );
  // Only the named policy fields change; no field can be undefined.
  const startsMessages = (before?.format ?? 'json') === 'json' && (wanted.format ?? 'json') !== 'json';
  if (policy !== undefined || startsMessages)
    resolved.policy = {
      ...(before?.policy ?? (isListener ? LISTENER_POLICY : DEFAULT_POLICY)),
      ...(startsMessages && IN_ORDER),
      ...(policy as Partial<TargetPolicy> | undefined),
    };
  if (transform !== undefined)
    resolved.transform = transform && {
      ...transform,
      tests: transform.tests ?? before?.transform?.tests ?? [],
    };
  if (headers !== undefined) resolved.headers = resolveHeaders(headers, retained?.headers ?? [], errors);
  if (tls !== undefined) resolved.tls = tls && resolveTls(tls, retained?.tls ?? null, errors);
  checkFormat({ ...NEW_TARGET, ...retained, ...resolved }, errors);
  checkSignature({ ...NEW_TARGET, ...retained, ...resolved }, errors);
  checkTransform({ ...NEW_TARGET, ...retained, ...resolved }, errors);
  checkRouting({ ...NEW_TARGET, ...retained, ...resolved }, errors);
  if (errors.length === 0) return resolved;
  throw new RelayError('target_invalid', 422, 'The settings of the target are invalid.', {
    ...(drop !== null && { remedy: REENTER_SECRETS }),
    errors,
  });
}

/** A listener receives events as they are stored, from a process that has connected to the hub. */
function rejectAddress({ url, format, tls }: TargetPatch, errors: FieldError[]): void {
  const given = {
    url: url !== undefined,
    format: (format ?? 'json') !== 'json',
    tls: (tls ?? null) !== null,
  };
  for (const [path, isGiven] of Object.entries(given))
    if (isGiven) errors.push({ path, message: 'not for a listener, for which a process connects' });
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

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The new TLS settings of a target. Without a key, the current one is kept.
 * @param errors receives an error for each invalid field, which never contains key material
 */
function resolveTls(wanted: TlsInput, before: TlsSettings | null, errors: FieldError[]): TlsSettings {
  const { ca, cert, verify } = wanted;
  const key = wanted.key !== undefined ? wanted.key : cert === null ? null : (before?.key ?? null);
  if (ca !== null) certificatesIn(ca, 'tls.ca', errors);
  const [own] = cert === null ? [] : certificatesIn(cert, 'tls.cert', errors);
  const privateKey = key === null ? null : keyIn(key, errors);
  if (cert !== null && key === null)
    errors.push({ path: 'tls.key', message: 'a certificate needs its private key' });
  if (cert === null && key !== null)
    errors.push({ path: 'tls.cert', message: 'a private key needs its certificate' });
  if (own !== undefined && privateKey !== null && !own.checkPrivateKey(privateKey))
    errors.push({ path: 'tls.key', message: 'the private key does not belong to the certificate' });
  return { ca, cert, key, verify };
}

function certificatesIn(pem: string, path: string, errors: FieldError[]): X509Certificate[] {
  try {
    const found = (pem.match(CERTIFICATES) ?? []).map((one) => new X509Certificate(one));
    if (found.length > 0) return found;
  } catch {
    // The message of OpenSSL is not helpful.
  }
  errors.push({ path, message: 'contains no readable certificate' });
  return [];
}

function keyIn(pem: string, errors: FieldError[]): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    errors.push({ path: 'tls.key', message: 'not a readable private key without a passphrase' });
    return null;
  }
}

/** The names of the settings that a change gives another value. */
export const changedFields = (before: TargetSettings, after: Partial<TargetSettings>): string[] =>
  (Object.keys(after) as (keyof TargetSettings)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
