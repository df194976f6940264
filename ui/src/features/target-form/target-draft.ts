import { SIGNATURE_FORMS } from '@contract/constants';
import { DEFAULT_POLICY, LISTENER_POLICY } from '@contract/default-policy';
import type { Filter } from '@contract/filter';
import type { Target, TargetPatch } from '@contract/target';
import type { TargetTest } from '@contract/target-test';
import type { TargetInput } from '../../api/targets';
import { formatJson } from '../../format/json';
import { parseExact } from '../../payload/parse-exact';
import { toPolicyDraft, parsePolicy, type FieldError, type PolicyDraft } from './policy-draft';

export interface HeaderDraft {
  /** Identifies the row while the form is open. */
  key: number;
  name: string;
  value: string;
  secret: boolean;
  /** Whether the daemon has a secret value, which is kept if the field is empty. */
  isStored: boolean;
}

export interface TlsDraft {
  ca: string;
  cert: string;
  key: string;
  /** Whether the daemon has a key, which is kept if the field is empty. */
  isKeyStored: boolean;
  verify: boolean;
}

/** The form fields of a target. */
export interface TargetDraft {
  name: string;
  kind: Target['kind'];
  /** Empty for a listener. */
  url: string;
  format: Target['format'];
  /** What the stored secrets belong to; null for a new target. */
  stored: Pick<TargetDraft, 'url' | 'format'> | null;
  events: string[];
  enabled: boolean;
  /** JSON, or empty. */
  filter: string;
  headers: HeaderDraft[];
  tls: TlsDraft;
  /** The header of a further signature; empty: none. */
  signatureHeader: string;
  signatureForm: SignatureForm;
  ed25519: boolean;
  policy: PolicyDraft;
  /** For a new target: a local time from a `datetime-local` field; empty means from now on. */
  since: string;
}

type SignatureForm = (typeof SIGNATURE_FORMS)[number];

const DEFAULT_TLS: TlsDraft = { ca: '', cert: '', key: '', isKeyStored: false, verify: true };

export const defaultPolicyOf = (kind: Target['kind'] = 'http') =>
  kind === 'listener' ? LISTENER_POLICY : DEFAULT_POLICY;

/** The form of a new target. */
export const newDraft = (): TargetDraft => ({
  name: '',
  kind: 'http',
  url: '',
  format: 'json',
  stored: null,
  events: ['*'],
  enabled: true,
  filter: '',
  headers: [],
  tls: DEFAULT_TLS,
  signatureHeader: '',
  signatureForm: SIGNATURE_FORMS[0],
  ed25519: false,
  policy: toPolicyDraft(DEFAULT_POLICY),
  since: '',
});

/** The form of an existing target. */
export const toTargetDraft = ({
  name,
  kind,
  url,
  format,
  events,
  enabled,
  filter,
  headers,
  tls,
  signature,
  ed25519,
  policy,
}: Target): TargetDraft => ({
  name,
  kind,
  url: url ?? '',
  format,
  stored: { url: url ?? '', format },
  events,
  enabled,
  filter: filter === null ? '' : formatJson(filter),
  headers: headers.map((header, key) => ({
    key,
    name: header.name,
    value: header.value ?? '',
    secret: header.secret,
    isStored: header.secret,
  })),
  tls:
    tls === null
      ? DEFAULT_TLS
      : { ca: tls.ca ?? '', cert: tls.cert ?? '', key: '', isKeyStored: tls.has_key, verify: tls.verify },
  signatureHeader: signature?.header ?? '',
  signatureForm: signature?.form ?? SIGNATURE_FORMS[0],
  ed25519,
  policy: toPolicyDraft(policy),
  since: '',
});

export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/** Whether the address was changed to another origin, to which stored secrets are not sent. */
export function isOriginChanged({ stored, url }: Pick<TargetDraft, 'stored' | 'url'>): boolean {
  const target = originOf(url.trim());
  return stored !== null && target !== null && target !== originOf(stored.url);
}

/** Whether stored secrets are not kept: for another origin, and for messages to another recipient. */
export function needsSecretsAgain(draft: Pick<TargetDraft, 'stored' | 'url' | 'format'>): boolean {
  const { stored, url, format } = draft;
  const isOther = stored !== null && (url.trim() !== stored.url || format !== stored.format);
  return isOriginChanged(draft) || (isOther && stored.format !== 'json');
}

const isObject = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the filter; null if it is empty. */
export function parseFilterField(text: string): { filter: Filter | null } | { error: string } {
  if (text.trim() === '') return { filter: null };
  try {
    const value = parseExact(text);
    return isObject(value) ? { filter: value } : { error: 'A filter must be a JSON object: { … }.' };
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : '';
    return { error: `Not valid JSON: ${reason}` };
  }
}

/** Parses the form into API input; invalid fields are reported and have their defaults. */
export function parseDraft(draft: TargetDraft): { input: TargetInput; errors: FieldError[] } {
  const { policy, errors } = parsePolicy(draft.policy);
  const filter = parseFilterField(draft.filter);
  if ('error' in filter) errors.push({ path: 'filter', message: filter.error });
  if (needsSecretsAgain(draft)) errors.push(...findMissingSecrets(draft));
  const since = draft.since === '' ? null : new Date(draft.since);
  if (since !== null && Number.isNaN(since.getTime()))
    errors.push({ path: 'backfill_since', message: 'Choose a date and time.' });
  const input: TargetInput = {
    name: draft.name.trim(),
    ...(draft.kind === 'listener' && { kind: draft.kind }),
    ...(draft.kind === 'http' && { url: draft.url.trim() }),
    format: draft.format,
    events: draft.events,
    enabled: draft.enabled,
    filter: 'filter' in filter ? filter.filter : null,
    headers: draft.headers.filter(isFilled).map(toHeader),
    tls: toTls(draft.tls),
    signature: toSignature(draft),
    ed25519: draft.format === 'json' && draft.ed25519,
    policy,
    ...(since !== null && !Number.isNaN(since.getTime()) && { backfill_since: since.toISOString() }),
  };
  return { input, errors };
}

/** Errors for stored secrets that must be entered again for another address. */
function findMissingSecrets({ headers, tls, format, url }: TargetDraft): FieldError[] {
  // The daemon moves the secrets of these addresses to a secret header.
  const isInAddress =
    format === 'email' ? /\/\/[^/?]*@/.test(url) : format === 'pagerduty' && url.includes('routing_key=');
  const errors = headers.filter(isFilled).flatMap(({ name, value, secret, isStored }, i) =>
    isStored && secret && value === '' && !isInAddress
      ? [
          {
            path: `headers.${i}.value`,
            message: `Different address: enter the value of ${name.trim()} again.`,
          },
        ]
      : [],
  );
  if (tls.isKeyStored && pemOf(tls.cert) !== null && pemOf(tls.key) === null)
    errors.push({ path: 'tls.key', message: 'Different address: enter the private key again.' });
  return errors;
}

/** Whether a header row is not empty. */
export const isFilled = ({ name, value }: HeaderDraft): boolean => name.trim() !== '' || value !== '';

function toHeader({ name, value, secret, isStored }: HeaderDraft): TargetInput['headers'][number] {
  const withoutValue = { name: name.trim(), secret };
  return isStored && secret && value === '' ? withoutValue : { ...withoutValue, value: value.trim() };
}

/** Messages are not signed. */
function toSignature({ format, signatureHeader, signatureForm }: TargetDraft): Target['signature'] {
  const header = signatureHeader.trim();
  return format !== 'json' || header === '' ? null : { header, form: signatureForm };
}

/** Null if all settings are the defaults. */
function toTls({ ca, cert, key, isKeyStored, verify }: TlsDraft): TargetInput['tls'] {
  const certificates = { ca: pemOf(ca), cert: pemOf(cert), verify };
  if (certificates.ca === null && certificates.cert === null && pemOf(key) === null && verify) return null;
  return isKeyStored && pemOf(key) === null ? certificates : { ...certificates, key: pemOf(key) };
}

const pemOf = (text: string) => (text.trim() === '' ? null : `${text.trim()}\n`);

/** The input for a new target. Policy defaults are left out, so that the target follows later changes of them. */
export function toTargetCreate(input: TargetInput): TargetInput {
  return { ...input, policy: changedFields(input.policy, defaultPolicyOf(input.kind)) };
}

/** The changed fields of an edit. */
export function toTargetPatch(input: TargetInput, before: TargetInput): TargetPatch {
  const { policy, ...rest } = input;
  const { policy: policyBefore, ...restBefore } = before;
  const changed = changedFields(policy, policyBefore);
  return {
    ...changedFields(rest, restBefore),
    ...(Object.keys(changed).length > 0 && { policy: changed }),
    ...(originOf(input.url ?? '') !== originOf(before.url ?? '') && { new_secret: true as const }),
  };
}

/** The input for a test of the address with the settings of the form. @param target the id of an existing target */
export function toAddressTest(
  { url = '', format, headers, tls, signature, ed25519, policy }: TargetInput,
  target?: string,
): TargetTest {
  const { timeout_ms, success } = policy;
  return {
    url,
    format,
    headers,
    tls,
    ...(signature !== undefined && { signature }),
    ...(ed25519 !== undefined && { ed25519 }),
    policy: { ...(timeout_ms !== undefined && { timeout_ms }), ...(success !== undefined && { success }) },
    ...(target !== undefined && { target_id: target }),
  };
}

/** The fields that differ from `before`. */
function changedFields<Fields extends object>(fields: Fields, before: object): Partial<Fields> {
  const same = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  const changed: Partial<Fields> = { ...fields };
  for (const name of Object.keys(fields) as (keyof Fields & string)[])
    if (same.get(name) === JSON.stringify(fields[name])) delete changed[name];
  return changed;
}
