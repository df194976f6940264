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
 * Link-local with the metadata services of the clouds in it, site-local, multicast, unspecified, reserved with broadcast; then
 * metadata elsewhere.
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

/** Where a daemon may send that only this machine reaches. One that others reach would let them in by its targets. */
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

/**
 * Turns the environment into settings.
 * @throws StartupError naming every fault at once, a sentence and a remedy each.
 */
export function readSettings(environment: Environment, { isSandbox = false } = {}): Settings {
  const faults: StartFault[] = [];
  const fault = (where: string, what: string, remedy: string) => faults.push({ where, what, remedy });
  const values = withSecretFiles(environment, fault);
  const text = (name: string) => values[name]?.trim() || null;

  const whole = (name: string, fallback: number, least: number, most: number): number => {
    const given = text(name);
    if (given === null) return fallback;
    const value = Number(given);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    fault(name, `${name} is "${given}".`, `Give a whole number from ${least} to ${most}.`);
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
        'Give an address such as https://hub.example, without query or user name.',
      );
      return null;
    }
    if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
      fault(
        name,
        `${name} is ${given}: tokens and secrets would cross the network in clear.`,
        'Use https; http is for loopback only.',
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
      `COPILOT_EVENTS names "${type}", which Co-Pilot does not have.`,
      `Choose from ${EVENT_TYPES.join(', ')}.`,
    );
  }
  const known = events.filter(isEventType);

  const logLevel = text('LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    fault('LOG_LEVEL', `LOG_LEVEL is "${logLevel}".`, `Choose from ${LOG_LEVELS.join(', ')}.`);

  const settings: Settings = {
    host,
    port: whole('PORT', 4000, 0, 65_535),
    publicUrl: address('PUBLIC_URL'),
    dataDir,
    databaseFile: databaseFile(text('DATABASE_URL'), dataDir, fault),
    logLevel,
    copilot: {
      baseUrl: required(
        'COPILOT_BASE_URL',
        address('COPILOT_BASE_URL'),
        'Give the base address of the Co-Pilot service.',
      ),
      clientId: required(
        'COPILOT_CLIENT_ID',
        text('COPILOT_CLIENT_ID'),
        'Create an application in the developer panel and give its Client ID.',
      ),
      clientSecret: required(
        'COPILOT_CLIENT_SECRET',
        text('COPILOT_CLIENT_SECRET'),
        'Give the Client Secret, or its file as COPILOT_CLIENT_SECRET_FILE.',
      ),
      scopes: list('COPILOT_SCOPES') ?? scopesFor(known),
      events: known,
      signatureHeader: text('COPILOT_SIGNATURE_HEADER')?.toLowerCase() ?? null,
      isSandbox,
    },
    secretKey: secretKey(text('SWITCHBOARD_SECRET_KEY'), fault),
    adminToken: adminToken(text('SWITCHBOARD_ADMIN_TOKEN'), fault),
    retentionDays: whole('SWITCHBOARD_RETENTION_DAYS', 30, 0, 36_500),
    deadLetterDays: whole('SWITCHBOARD_DEAD_LETTER_DAYS', 90, 0, 36_500),
    retentionBytes: retentionBytes(
      whole('SWITCHBOARD_RETENTION_BYTES', 0, 0, Number.MAX_SAFE_INTEGER),
      fault,
    ),
    targets: (list('SWITCHBOARD_TARGETS') ?? []).flatMap((pair) => target(pair, fault)),
    bodyLimitBytes: whole('SWITCHBOARD_BODY_LIMIT_BYTES', 8_388_608, 1_024, 67_108_864),
    trustedProxies: cidrs('SWITCHBOARD_TRUSTED_PROXIES', list('SWITCHBOARD_TRUSTED_PROXIES') ?? [], fault),
    targetAllow: cidrs(
      'SWITCHBOARD_TARGET_ALLOW',
      list('SWITCHBOARD_TARGET_ALLOW') ?? (isLoopbackName(host) ? EVERYWHERE : ['public']),
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
 * Where the data lie: enough for what reads a stopped daemon's database, whatever else is not set.
 * @throws StartupError as `readSettings` does, for these settings alone
 */
export function readPlaces({
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

/** Every secret may also come as a file, named by `<NAME>_FILE`. */
function withSecretFiles(environment: Environment, fault: Report): Environment {
  const values = { ...environment };
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (environment[name]?.trim()) {
      fault(name, `${name} and ${name}_FILE are both set.`, 'Keep one of them.');
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      fault(
        `${name}_FILE`,
        `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
        'Check its path and who may read it.',
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
      'DATABASE_URL names PostgreSQL, which this version cannot use yet.',
      'Leave it out, or give sqlite:<path>.',
    );
  } else {
    fault(
      'DATABASE_URL',
      'DATABASE_URL names no database that is known.',
      'Leave it out, or give sqlite:<path>.',
    );
  }
  return '';
}

function secretKey(given: string | null, fault: Report): Buffer | null {
  if (given === null) return null;
  const key = Buffer.from(given, 'base64');
  if (key.length === 32) return key;
  fault(
    'SWITCHBOARD_SECRET_KEY',
    `SWITCHBOARD_SECRET_KEY holds ${key.length} bytes; 32 are needed, as base64.`,
    'Make one with: openssl rand -base64 32',
  );
  return null;
}

/** The tables alone take some hundred kilobytes. */
const LEAST_RETENTION_BYTES = 1_048_576;

function retentionBytes(given: number, fault: Report): number {
  if (given === 0 || given >= LEAST_RETENTION_BYTES) return given;
  fault(
    'SWITCHBOARD_RETENTION_BYTES',
    `SWITCHBOARD_RETENTION_BYTES is ${given}: next to nothing could be kept.`,
    `Give ${LEAST_RETENTION_BYTES} or more, or 0 for no limit.`,
  );
  return given;
}

function adminToken(given: string | null, fault: Report): string | null {
  if (given === null || given.length >= 16) return given;
  fault(
    'SWITCHBOARD_ADMIN_TOKEN',
    'SWITCHBOARD_ADMIN_TOKEN has fewer than 16 characters.',
    'Make one with: openssl rand -hex 32',
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
    `SWITCHBOARD_TARGETS has "${maskAddress(pair)}".`,
    'Write name=url, several separated by commas, each with http or https.',
  );
  return [];
}

/** What may be secret in an address, even where it is none that can be read. */
const maskAddress = (pair: string) => pair.replace(/\/\/[^/]*@/, '//***@').replace(/\?.*/, '?***');

function cidrs(name: string, given: string[], fault: Report, words: string[] = []): string[] {
  for (const range of given.filter((item) => !words.includes(item) && !ipaddr.isValidCIDR(item))) {
    fault(
      name,
      `${name} has "${range}".`,
      `Write ranges such as 10.0.0.0/8 or fd00::/8${words.map((word) => `, or ${word}`).join('')}, separated by commas.`,
    );
  }
  return given;
}
