import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { targetName } from '../../contract/target';
import { signingSecret } from '../../contract/target-secret';
import { EVENT_TYPES, type EventType } from '../../protocol/event-types';
import { ROLES, ROLES_BY_NAME, sameCase, type Role } from './roles';

/**
 * Schemas that parse the text of a setting. The message of an issue continues a sentence that begins with the name of
 * the setting, and its parameter `remedy` says what to do.
 */
export function fail(context: z.RefinementCtx, message: string, remedy: string): never {
  context.addIssue({ code: 'custom', message, params: { remedy } });
  return z.NEVER;
}

/** Null if it is not set. */
export const optional = <Value>(schema: z.ZodType<Value, string>) =>
  schema.optional().transform((value) => value ?? null);

export const required = <Value>(schema: z.ZodType<Value, string>, remedy: string) =>
  z
    .string()
    .optional()
    .transform((raw, context): string => raw ?? fail(context, 'is missing.', remedy))
    .pipe(schema);

export const text = z.string();

/** A text that is taken as it is, if it passes a check. */
const checked = (isValid: (raw: string) => boolean, message: (raw: string) => string, remedy: string) =>
  text.transform((raw, context): string => (isValid(raw) ? raw : fail(context, message(raw), remedy)));

export const shortText = (max: number) =>
  checked(
    ({ length }) => length <= max,
    ({ length }) => `has ${length} characters.`,
    `Set a text of at most ${max} characters.`,
  );

export const path = text.transform((raw) => resolve(raw));

export const list = text.transform((raw) =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

export const flag = text.transform(
  (raw, context): boolean =>
    raw === 'true' || (raw !== 'false' && fail(context, `is "${raw}".`, 'Set true or false.')),
);

const MAX_DAYS = 36_500;

export const integerBetween = (min: number, max: number) =>
  text.transform((raw, context): number => {
    const value = Number(raw);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    return fail(context, `is "${raw}".`, `Set an integer from ${min} to ${max}.`);
  });

export const days = integerBetween(0, MAX_DAYS);

/** Null for `off`. */
export const daysOrOff = text.transform((raw, context): number | null => {
  const value = raw === 'off' ? null : Number(raw);
  if (value === null || (Number.isInteger(value) && value >= 0 && value <= MAX_DAYS)) return value;
  return fail(context, `is "${raw}".`, `Set an integer from 0 to ${MAX_DAYS}, or off.`);
});

export const oneOf = (values: readonly string[]) =>
  checked(
    (raw) => values.includes(raw),
    (raw) => `is "${raw}".`,
    `Choose from ${values.join(', ')}.`,
  );

/** Masks credentials and query, even in an invalid URL. */
const maskAddress = (raw: string) => raw.replace(/\/\/[^/]*@/, '//***@').replace(/\?.*/, '?***');

/** Null unless it is an http or https URL. */
function httpUrl(raw: string): URL | null {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

/** Returned without a trailing slash. */
export const address = checked(
  (raw) => {
    const url = httpUrl(raw);
    return url !== null && !url.search && !url.hash && !url.username;
  },
  (raw) => `is "${maskAddress(raw)}".`,
  'Set a URL such as https://hub.example, without a query or user name.',
).transform((raw) => raw.replace(/\/+$/, ''));

/** Of http too: the receiver of spans is usually in the same network. */
export const receiverUrl = checked(
  (raw) => httpUrl(raw) !== null,
  (raw) => `is "${maskAddress(raw)}".`,
  'Set a URL such as http://localhost:4318.',
);

/** An HTTP proxy. Its URL may contain a password, so it is never quoted. */
export const proxyAddress = checked(
  (raw) => {
    const url = httpUrl(raw);
    return url !== null && /^\/?$/.test(url.pathname + url.search + url.hash);
  },
  () => 'is not the URL of an HTTP proxy.',
  'Set a URL such as http://proxy.example:3128, or http://user:password@proxy.example:3128.',
);

/** Not the beginning of an address, such as 10.1., which would be taken for a name. */
const PROXY_EXCEPTION = /^(?!(\d+\.){1,3}$)(https?:\/\/)?[\p{L}\p{M}\p{N}_.:*[\]-]+$/u;

/** What to reach without a proxy, separated by commas or white space. */
export const proxyExceptions = text.transform((raw, context): string[] => {
  const entries = raw
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  for (const entry of entries.filter(
    (one) => !ipaddr.isValidCIDR(one) && !PROXY_EXCEPTION.test(one.replace(/\/$/, '')),
  ))
    fail(
      context,
      `contains "${entry}".`,
      'Use names such as shop.example, addresses such as 10.0.0.5 or 10.*, and ranges such as 10.0.0.0/8.',
    );
  return entries;
});

/** Its path or query is a secret, so the value is never shown. */
export const heartbeatUrl = checked(
  (raw) => httpUrl(raw) !== null,
  () => 'is not an http or https URL.',
  'Set the URL that your monitor shows, such as https://monitor.example/ping/….',
);

/** The path of a SQLite file, or the address of a database in PostgreSQL. */
type DatabaseUrl = { file: string; postgresUrl?: undefined } | { file?: undefined; postgresUrl: string };

/** An address contains a password, so it is never shown. */
export const databaseUrl = text.transform((raw, context): DatabaseUrl => {
  if (raw.startsWith('sqlite:')) return { file: resolve(raw.slice('sqlite:'.length).replace(/^\/\//, '')) };
  if (/^postgres(ql)?:\/\//.test(raw) && URL.canParse(raw)) return { postgresUrl: raw };
  return fail(
    context,
    raw.startsWith('postgres') ? 'is not an address of PostgreSQL.' : 'specifies an unknown database.',
    'Set sqlite:<path> or postgres://<user>:<password>@<host>/<database>; special characters in them are percent-encoded.',
  );
});

export const eventTypes = list.transform((types, context): EventType[] => {
  for (const type of types.filter((raw) => !isEventType(raw))) {
    fail(
      context,
      `contains "${type}", which is not a Co-Pilot event.`,
      `Choose from ${EVENT_TYPES.join(', ')}.`,
    );
  }
  return types.filter(isEventType);
});

const isEventType = (raw: string): raw is EventType => (EVENT_TYPES as readonly string[]).includes(raw);

const KEY_BYTES = 32;

export const secretKey = text.transform((raw, context): Buffer => {
  const key = Buffer.from(raw, 'base64');
  if (key.length === KEY_BYTES) return key;
  return fail(
    context,
    `holds ${key.length} bytes; ${KEY_BYTES} are required, encoded as base64.`,
    `Generate one with: openssl rand -base64 ${KEY_BYTES}`,
  );
});

const MIN_TOKEN_LENGTH = 16;

export const token = checked(
  ({ length }) => length >= MIN_TOKEN_LENGTH,
  () => `has fewer than ${MIN_TOKEN_LENGTH} characters.`,
  'Generate one with: openssl rand -hex 32',
);

/** Empty tables alone take a few hundred kilobytes. */
const MIN_DATABASE_BYTES = 1_048_576;

export const databaseBytes = integerBetween(0, Number.MAX_SAFE_INTEGER).transform((bytes, context): number =>
  bytes === 0 || bytes >= MIN_DATABASE_BYTES
    ? bytes
    : fail(
        context,
        `is ${bytes}, which is too small to store anything useful.`,
        `Set ${MIN_DATABASE_BYTES} or more, or 0 for no limit.`,
      ),
);

export const targets = list.transform((pairs, context) =>
  pairs.flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const url = pair.slice(at + 1).trim();
    if (at > 0 && name !== '' && httpUrl(url) !== null) {
      const fault = targetName.safeParse(name).error?.issues[0]?.message;
      if (fault === undefined) return [{ name, url }];
      return fail(context, `names a target "${maskAddress(name)}". ${fault}.`, 'Change the name.');
    }
    return fail(
      context,
      `contains "${maskAddress(pair)}".`,
      'Use name=url pairs separated by commas, each with an http or https URL.',
    );
  }),
);

/** The secrets of targets, by name; never quoted. */
export const targetSecrets = list.transform((pairs, context) => {
  const secrets = new Map<string, string>();
  for (const pair of pairs) {
    const name = pair.slice(0, pair.indexOf('=')).trim();
    const secret = pair.slice(pair.indexOf('=') + 1).trim();
    if (name !== '' && signingSecret.safeParse(secret).success) secrets.set(name, secret);
    else
      fail(
        context,
        'contains an entry that is not a name with a secret.',
        'Use name=whsec_… pairs separated by commas, each with 24 to 64 bytes in base64.',
      );
  }
  return secrets;
});

/** Their meaning is fixed, or a browser can send them. */
const OTHER_HEADERS =
  /^(authorization|cookie|forwarded|host|origin|x-forwarded-(for|host|proto)|x-switchboard-.*)$/;

/** The name of a header that a proxy sets, in lower case (RFC 9110, 5.6.2). */
export const proxyHeader = text.toLowerCase().transform((raw, context): string => {
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(raw) && !OTHER_HEADERS.test(raw)) return raw;
  return fail(
    context,
    `is "${raw}", which cannot be used for this.`,
    'Set the name of a header that the proxy sets, such as Remote-User.',
  );
});

/** `<name>: <secret>`, in the form in which a proxy sends it. The name in lower case. */
export const secretHeader = text.transform((raw, context): { name: string; secret: string } => {
  const [, name = '', secret = ''] = /^([^:]*):\s*([\x21-\x7e]*)$/.exec(raw) ?? [];
  const header = proxyHeader.safeParse(name);
  if (header.success && token.safeParse(secret).success) return { name: header.data, secret };
  return fail(
    context,
    `is not the name of a header, a colon and a secret of at least ${MIN_TOKEN_LENGTH} characters without spaces.`,
    'Set, for example, X-Proxy-Secret: followed by the output of: openssl rand -hex 32',
  );
});

/** `group=role`; the group may contain `=`, as in LDAP. */
export const groupRoles = list.transform((pairs, context): ReadonlyMap<string, Role> => {
  const entries = pairs.flatMap((pair): [string, Role][] => {
    const at = pair.lastIndexOf('=');
    const group = sameCase(pair.slice(0, at).trim());
    const role = ROLES_BY_NAME.get(pair.slice(at + 1).trim());
    if (at > 0 && group !== '' && role !== undefined) return [[group, role]];
    return fail(
      context,
      `contains "${pair}".`,
      `Use group=role pairs separated by commas; the roles are ${ROLES.join(', ')}.`,
    );
  });
  const roles = new Map(entries);
  if (roles.size === entries.length) return roles;
  return fail(context, 'names a group twice.', 'Give each group one role.');
});

/** CIDR ranges, or keywords. */
export const ranges = (...keywords: string[]) =>
  list.transform((items, context): string[] => {
    for (const range of items.filter((item) => !keywords.includes(item) && !ipaddr.isValidCIDR(item))) {
      fail(
        context,
        `contains "${range}".`,
        `Use ranges such as 10.0.0.0/8 or fd00::/8${keywords.map((keyword) => `, or ${keyword}`).join('')}, separated by commas.`,
      );
    }
    return items;
  });
