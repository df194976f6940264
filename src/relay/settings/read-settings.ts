import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { EVENT_TYPES, type EventType } from '../../protocol/event-types';
import { SCOPE_OF_EVENT } from '../../protocol/scopes';
import { StartupError, type StartFault } from '../ground/relay-error';
import { isLoopbackName } from './loopback';
import type { Settings } from './settings';

export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const SECRETS = [
  'COPILOT_CLIENT_SECRET',
  'SWITCHBOARD_SECRET_KEY',
  'SWITCHBOARD_ADMIN_TOKEN',
  'DATABASE_URL',
];

/**
 * Link-local (including cloud metadata services), site-local, multicast, unspecified, reserved and
 * broadcast; then other metadata addresses.
 */
export const DEFAULT_TARGET_DENY = [
  '169.254.0.0/16',
  'fe80::/10',
  'fec0::/10',
  '224.0.0.0/4',
  '240.0.0.0/4',
  'ff00::/8',
  '0.0.0.0/8',
  '::/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
];

/**
 * Allowed for a daemon that listens on loopback only. Otherwise its targets would give others access to
 * internal networks.
 */
const ANY_ADDRESS = ['0.0.0.0/0', '::/0'];

/**
 * SerialQueue the environment into settings.
 * @throws StartupError listing all faults, with a sentence and a remedy each.
 */
export function readSettings(environment: Environment, { isSandbox = false } = {}): Settings {
  const faults: StartFault[] = [];
  const fault = (where: string, what: string, remedy: string) => faults.push({ where, what, remedy });
  const values = withSecretFiles(environment, fault);
  const text = (name: string) => values[name]?.trim() || null;

  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const given = text(name);
    if (given === null) return fallback;
    const value = Number(given);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    fault(name, `${name} is "${given}".`, `Set an integer from ${min} to ${max}.`);
    return fallback;
  };
  const address = (name: string): string | null => {
    const given = text(name);
    if (given === null) return null;
    const url = URL.canParse(given) ? new URL(given) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
      fault(
        name,
        `${name} is "${given}".`,
        'Set a URL such as https://hub.example, without a query or user name.',
      );
      return null;
    }
    if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
      fault(
        name,
        `${name} is ${given}: tokens and secrets would be sent unencrypted.`,
        'Use https; http is allowed for loopback only.',
      );
    }
    return given.replace(/\/+$/, '');
  };
  const required = (name: string, value: string | null, remedy: string): string => {
    if (value === null && !faults.some(({ where }) => where === name))
      fault(name, `${name} is missing.`, remedy);
    return value ?? '';
  };
  const list = (name: string): string[] | null =>
    text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean) ?? null;

  const dataDir = resolve(text('DATA_DIR') ?? 'data');
  const host = text('HOST') ?? '127.0.0.1';
  const events = list('COPILOT_EVENTS') ?? [...EVENT_TYPES];
  for (const type of events.filter((given) => !isEventType(given))) {
    fault(
      'COPILOT_EVENTS',
      `COPILOT_EVENTS contains "${type}", which is not a Co-Pilot event.`,
      `Choose from ${EVENT_TYPES.join(', ')}.`,
    );
  }
  const known = events.filter(isEventType);

  const logLevel = text('LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    fault('LOG_LEVEL', `LOG_LEVEL is "${logLevel}".`, `Choose from ${LOG_LEVELS.join(', ')}.`);

  const settings: Settings = {
    host,
    port: integer('PORT', 4000, 0, 65_535),
    publicUrl: address('PUBLIC_URL'),
    dataDir,
    databaseFile: databaseFile(text('DATABASE_URL'), dataDir, fault),
    logLevel,
    copilot: {
      baseUrl: required(
        'COPILOT_BASE_URL',
        address('COPILOT_BASE_URL'),
        'Set it to the base URL of the Co-Pilot service.',
      ),
      clientId: required(
        'COPILOT_CLIENT_ID',
        text('COPILOT_CLIENT_ID'),
        'Create an application in the developer panel and set its Client ID.',
      ),
      clientSecret: required(
        'COPILOT_CLIENT_SECRET',
        text('COPILOT_CLIENT_SECRET'),
        'Set the Client Secret, or the path of its file as COPILOT_CLIENT_SECRET_FILE.',
      ),
      scopes: list('COPILOT_SCOPES') ?? scopesFor(known),
      events: known,
      signatureHeader: text('COPILOT_SIGNATURE_HEADER')?.toLowerCase() ?? null,
      isSandbox,
    },
    secretKey: secretKey(text('SWITCHBOARD_SECRET_KEY'), fault),
    adminToken: adminToken(text('SWITCHBOARD_ADMIN_TOKEN'), fault),
    retentionDays: integer('SWITCHBOARD_RETENTION_DAYS', 30, 0, 36_500),
    deadLetterDays: integer('SWITCHBOARD_DEAD_LETTER_DAYS', 90, 0, 36_500),
    retentionBytes: retentionBytes(
      integer('SWITCHBOARD_RETENTION_BYTES', 0, 0, Number.MAX_SAFE_INTEGER),
      fault,
    ),
    targets: (list('SWITCHBOARD_TARGETS') ?? []).flatMap((pair) => target(pair, fault)),
    bodyLimitBytes: integer('SWITCHBOARD_BODY_LIMIT_BYTES', 8_388_608, 1_024, 67_108_864),
    trustedProxies: cidrs('SWITCHBOARD_TRUSTED_PROXIES', list('SWITCHBOARD_TRUSTED_PROXIES') ?? [], fault),
    targetAllow: cidrs(
      'SWITCHBOARD_TARGET_ALLOW',
      list('SWITCHBOARD_TARGET_ALLOW') ?? (isLoopbackName(host) ? ANY_ADDRESS : ['public']),
      fault,
      ['public', 'private'],
    ),
    targetDeny: cidrs(
      'SWITCHBOARD_TARGET_DENY',
      list('SWITCHBOARD_TARGET_DENY') ?? DEFAULT_TARGET_DENY,
      fault,
    ),
  };
  if (faults.length > 0) throw new StartupError(faults);
  return settings;
}

/**
 * The paths of the data: enough to read a stopped daemon's database without the other settings.
 * @throws StartupError like `readSettings`, for these settings only
 */
export function readDataPaths({
  DATA_DIR,
  DATABASE_URL,
  DATABASE_URL_FILE,
}: Environment): Pick<Settings, 'dataDir' | 'databaseFile'> {
  const faults: StartFault[] = [];
  const fault: Report = (where, what, remedy) => faults.push({ where, what, remedy });
  const dataDir = resolve(DATA_DIR?.trim() || 'data');
  const { DATABASE_URL: url } = withSecretFiles({ DATABASE_URL, DATABASE_URL_FILE }, fault);
  const places = { dataDir, databaseFile: databaseFile(url?.trim() || null, dataDir, fault) };
  if (faults.length > 0) throw new StartupError(faults);
  return places;
}

type Report = (where: string, what: string, remedy: string) => void;

/** Every secret can also be read from a file named by `<NAME>_FILE`. */
function withSecretFiles(environment: Environment, fault: Report): Environment {
  const values = { ...environment };
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (environment[name]?.trim()) {
      fault(name, `${name} and ${name}_FILE are both set.`, 'Set only one of them.');
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      fault(
        `${name}_FILE`,
        `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
        'Check its path and permissions.',
      );
    }
  }
  return values;
}

function isEventType(given: string): given is EventType {
  return (EVENT_TYPES as readonly string[]).includes(given);
}

function scopesFor(events: EventType[]): string[] {
  return [...new Set(['webhooks', ...events.map((type) => SCOPE_OF_EVENT[type])])];
}

function databaseFile(given: string | null, dataDir: string, fault: Report): string {
  if (given === null) return join(dataDir, 'switchboard.db');
  if (given.startsWith('sqlite:')) return resolve(given.slice('sqlite:'.length).replace(/^\/\//, ''));
  if (/^postgres(ql)?:/.test(given)) {
    fault(
      'DATABASE_URL',
      'DATABASE_URL specifies PostgreSQL, which is not supported yet.',
      'Remove it, or set sqlite:<path>.',
    );
  } else {
    fault('DATABASE_URL', 'DATABASE_URL specifies an unknown database.', 'Remove it, or set sqlite:<path>.');
  }
  return '';
}

function secretKey(given: string | null, fault: Report): Buffer | null {
  if (given === null) return null;
  const key = Buffer.from(given, 'base64');
  if (key.length === 32) return key;
  fault(
    'SWITCHBOARD_SECRET_KEY',
    `SWITCHBOARD_SECRET_KEY holds ${key.length} bytes; 32 are required, encoded as base64.`,
    'Generate one with: openssl rand -base64 32',
  );
  return null;
}

/** The empty tables take some hundred kilobytes. */
const MIN_RETENTION_BYTES = 1_048_576;

function retentionBytes(given: number, fault: Report): number {
  if (given === 0 || given >= MIN_RETENTION_BYTES) return given;
  fault(
    'SWITCHBOARD_RETENTION_BYTES',
    `SWITCHBOARD_RETENTION_BYTES is ${given}, which is too small to store anything useful.`,
    `Set ${MIN_RETENTION_BYTES} or more, or 0 for no limit.`,
  );
  return given;
}

function adminToken(given: string | null, fault: Report): string | null {
  if (given === null || given.length >= 16) return given;
  fault(
    'SWITCHBOARD_ADMIN_TOKEN',
    'SWITCHBOARD_ADMIN_TOKEN has fewer than 16 characters.',
    'Generate one with: openssl rand -hex 32',
  );
  return null;
}

function target(pair: string, fault: Report): { name: string; url: string }[] {
  const at = pair.indexOf('=');
  const name = pair.slice(0, at).trim();
  const url = pair.slice(at + 1).trim();
  if (at > 0 && name && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return [{ name, url }];
  fault(
    'SWITCHBOARD_TARGETS',
    `SWITCHBOARD_TARGETS contains "${maskAddress(pair)}".`,
    'Use name=url pairs separated by commas, each with an http or https URL.',
  );
  return [];
}

/** Masks credentials and query, even in an invalid URL. */
const maskAddress = (pair: string) => pair.replace(/\/\/[^/]*@/, '//***@').replace(/\?.*/, '?***');

function cidrs(name: string, given: string[], fault: Report, keywords: string[] = []): string[] {
  for (const range of given.filter((item) => !keywords.includes(item) && !ipaddr.isValidCIDR(item))) {
    fault(
      name,
      `${name} contains "${range}".`,
      `Use ranges such as 10.0.0.0/8 or fd00::/8${keywords.map((keyword) => `, or ${keyword}`).join('')}, separated by commas.`,
    );
  }
  return given;
}
