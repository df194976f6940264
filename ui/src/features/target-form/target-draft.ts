import type { Filter } from '../../../../src/contract/filter';
import type { Target, TargetPatch, TargetTrial } from '../../../../src/contract/target';
import type { TargetInput } from '../../api/targets';
import { formatJson } from '../../format/json';
import {
  DEFAULT_POLICY,
  toPolicyDraft,
  parsePolicy,
  type FieldError,
  type PolicyDraft,
} from './policy-draft';

export interface HeaderDraft {
  /** Its place in the form, for as long as it is open. */
  key: number;
  name: string;
  value: string;
  secret: boolean;
  /** The daemon holds a secret value under this name, which stays while nothing is typed. */
  isStored: boolean;
}

export interface TlsDraft {
  ca: string;
  cert: string;
  key: string;
  /** The daemon holds a key, which stays while nothing is typed. */
  isKeyStored: boolean;
  verify: boolean;
}

/** A target as the fields of a form hold it. */
export interface TargetDraft {
  name: string;
  url: string;
  /** The origin that the daemon holds the target's secrets for; null for a target that is not there yet. */
  origin: string | null;
  events: string[];
  enabled: boolean;
  /** JSON, or nothing. */
  filter: string;
  headers: HeaderDraft[];
  tls: TlsDraft;
  policy: PolicyDraft;
  /** For a new target: in the reader's own zone, as a field for times gives it; empty: from now on. */
  since: string;
}

const NO_TLS: TlsDraft = { ca: '', cert: '', key: '', isKeyStored: false, verify: true };

/** The form of a target that is not there yet. */
export const newDraft = (): TargetDraft => ({
  name: '',
  url: '',
  origin: null,
  events: ['*'],
  enabled: true,
  filter: '',
  headers: [],
  tls: NO_TLS,
  policy: toPolicyDraft(DEFAULT_POLICY),
  since: '',
});

/** The form of one that is. */
export const toTargetDraft = ({
  name,
  url,
  events,
  enabled,
  filter,
  headers,
  tls,
  policy,
}: Target): TargetDraft => ({
  name,
  url,
  origin: originOf(url),
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
      ? NO_TLS
      : { ca: tls.ca ?? '', cert: tls.cert ?? '', key: '', isKeyStored: tls.has_key, verify: tls.verify },
  policy: toPolicyDraft(policy),
  since: '',
});

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : null);

/** Whether the address was changed to another origin, which the secrets that the daemon holds are not sent to. */
export function leavesOrigin({ origin, url }: Pick<TargetDraft, 'origin' | 'url'>): boolean {
  const target = originOf(url.trim());
  return origin !== null && target !== null && target !== origin;
}

const isObject = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The filter that a text means; null for none. */
export function parseFilterField(text: string): { filter: Filter | null } | { error: string } {
  if (text.trim() === '') return { filter: null };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { filter: value } : { error: 'A filter must be a JSON object: { … }.' };
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : '';
    return { error: `Not valid JSON: ${why}` };
  }
}

/** What the form says, as the daemon takes it, and what of it cannot be read. */
export function parseDraft(draft: TargetDraft): { input: TargetInput; errors: FieldError[] } {
  const { policy, errors } = parsePolicy(draft.policy);
  const filter = parseFilterField(draft.filter);
  if ('error' in filter) errors.push({ path: 'filter', message: filter.error });
  if (leavesOrigin(draft)) errors.push(...findMissingSecrets(draft));
  const since = draft.since === '' ? null : new Date(draft.since);
  if (since !== null && Number.isNaN(since.getTime()))
    errors.push({ path: 'backfill_since', message: 'Choose a date and time.' });
  const input: TargetInput = {
    name: draft.name.trim(),
    url: draft.url.trim(),
    events: draft.events,
    enabled: draft.enabled,
    filter: 'filter' in filter ? filter.filter : null,
    headers: draft.headers.filter(isFilled).map(toHeader),
    tls: toTls(draft.tls),
    policy,
    ...(since !== null && !Number.isNaN(since.getTime()) && { backfill_since: since.toISOString() }),
  };
  return { input, errors };
}

/** The secrets that the daemon holds and would not send to another origin, by the paths that it has for them. */
function findMissingSecrets({ headers, tls }: TargetDraft): FieldError[] {
  const errors = headers.filter(isFilled).flatMap(({ name, value, secret, isStored }, i) =>
    isStored && secret && value === ''
      ? [
          {
            path: `headers.${i}.value`,
            message: `Different origin: enter the value of ${name.trim()} again.`,
          },
        ]
      : [],
  );
  if (tls.isKeyStored && pemOf(tls.cert) !== null && pemOf(tls.key) === null)
    errors.push({ path: 'tls.key', message: 'Different origin: enter the private key again.' });
  return errors;
}

/** A row that was only added says nothing yet. */
export const isFilled = ({ name, value }: HeaderDraft): boolean => name.trim() !== '' || value !== '';

function toHeader({ name, value, secret, isStored }: HeaderDraft): TargetInput['headers'][number] {
  const plain = { name: name.trim(), secret };
  return isStored && secret && value === '' ? plain : { ...plain, value: value.trim() };
}

/** Null where all is as usual. */
function toTls({ ca, cert, key, isKeyStored, verify }: TlsDraft): TargetInput['tls'] {
  const certificates = { ca: pemOf(ca), cert: pemOf(cert), verify };
  if (certificates.ca === null && certificates.cert === null && pemOf(key) === null && verify) return null;
  return isKeyStored && pemOf(key) === null ? certificates : { ...certificates, key: pemOf(key) };
}

const pemOf = (text: string) => (text.trim() === '' ? null : `${text.trim()}\n`);

/** What a new target is asked for: of its policy only what is unlike the default, which may change some day. */
export function toTargetCreate(input: TargetInput): TargetInput {
  return { ...input, policy: differing(input.policy, DEFAULT_POLICY) };
}

/** What an edit changes: what stays as it is, is not sent. */
export function toTargetPatch(input: TargetInput, before: TargetInput): TargetPatch {
  const { policy, ...rest } = input;
  const { policy: policyBefore, ...restBefore } = before;
  const changed = differing(policy, policyBefore);
  return {
    ...differing(rest, restBefore),
    ...(Object.keys(changed).length > 0 && { policy: changed }),
    ...(originOf(input.url) !== originOf(before.url) && { new_secret: true as const }),
  };
}

/** A try of what stands in the form. @param target that it is the form of, if any */
export function toTargetTrial({ url, headers, tls, policy }: TargetInput, target?: string): TargetTrial {
  const { timeout_ms, success } = policy;
  return {
    url,
    headers,
    tls,
    policy: { ...(timeout_ms !== undefined && { timeout_ms }), ...(success !== undefined && { success }) },
    ...(target !== undefined && { target_id: target }),
  };
}

/** The fields of one that are not the same in the other. */
function differing<Fields extends object>(fields: Fields, before: object): Partial<Fields> {
  const same = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  const changed: Partial<Fields> = { ...fields };
  for (const name of Object.keys(fields) as (keyof Fields & string)[])
    if (same.get(name) === JSON.stringify(fields[name])) delete changed[name];
  return changed;
}
