import type { Target } from '../../../contract/target';
import { invalidCommandLine } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { ask } from '../ask';
import { jsonOrText, parseJson } from '../parse-json';
import { readSecret } from '../secret-file';

/** Flags that set something of a target. */
export interface SettingsFlags extends HubFlags {
  url?: string;
  events?: string[];
  filter?: string;
  format?: string;
  /** `name=value` */
  header?: string[];
  /** `name`, `name=@file` or `name=-` */
  secretHeader?: string[];
  /** `name=value`, with a value in JSON */
  policy?: string[];
  disabled?: true;
  enabled?: true;
  /** `header=form`, or empty */
  signature?: string;
  ed25519?: boolean;
  secretOut?: string;
}

/** A header in a request of the API. Without a value, a secret one keeps that which it has. */
export interface HeaderInput {
  name: string;
  value?: string;
  secret: boolean;
}

/** What the flags set, in the fields of the API. @param current the target's headers, which stay unless flags name them */
export async function settingsOf(
  flags: SettingsFlags,
  current: Target['headers'] = [],
): Promise<Record<string, unknown>> {
  const { url, events, format, filter, policy, enabled, disabled, signature, ed25519 } = flags;
  const settings = {
    url,
    events,
    format,
    filter: filter === undefined ? undefined : parseJson('--filter', filter),
    policy: policy && Object.fromEntries(policy.map(parsePolicy)),
    headers: await headersOf(flags, current),
    enabled: enabled ?? (disabled ? false : undefined),
    signature: signature === '' ? null : signature && parseSignature(signature),
    ed25519,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

export const headerInputs = (headers: Target['headers']): HeaderInput[] =>
  headers.map(({ name, value, secret }) => ({ name, secret, ...(value !== null && { value }) }));

async function headersOf(
  { header = [], secretHeader = [] }: SettingsFlags,
  current: Target['headers'],
): Promise<HeaderInput[] | undefined> {
  if (header.length + secretHeader.length === 0) return undefined;
  const headers = new Map(headerInputs(current).map((one) => [one.name, one]));
  const set = (name: string, value: string, secret: boolean) => headers.set(name, { name, value, secret });
  for (const text of header) {
    const [name, value] = split('--header', text);
    if (value === '') headers.delete(name.toLowerCase());
    else set(name.toLowerCase(), value, false);
  }
  for (const text of secretHeader) {
    const [name, source] = text.includes('=') ? split('--secret-header', text) : [text, null];
    set(name.toLowerCase(), await secretValue(name, source), true);
  }
  return [...headers.values()];
}

/** @param source `@file`, `-` for standard input, or null to ask */
async function secretValue(name: string, source: string | null): Promise<string> {
  if (source === null)
    return ask(
      `Value of ${name} (it is not shown): `,
      `Use --secret-header ${name}=@<file> or ${name}=-.`,
      'hidden',
    );
  if (source === '-' || source.startsWith('@')) return readSecret(source.replace(/^@/, ''));
  throw invalidCommandLine(
    'A secret in the command line can be seen by others on this machine.',
    `Use --secret-header ${name}, ${name}=@<file> or ${name}=-.`,
  );
}

function parsePolicy(text: string): [name: string, value: unknown] {
  const [name, value] = split('--policy', text);
  return [name, jsonOrText(value)];
}

function parseSignature(text: string): { header: string; form: string } {
  const [header, form] = split('--signature', text);
  return { header, form };
}

function split(flag: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw invalidCommandLine(`${flag} must be <name>=<value>.`, '');
}
